package dev.errand.task;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.conversation.UsageTotals;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Progress events of background tasks: at most one per second and task, by the database's clock.
 */
@ApplicationScoped
public class TaskProgress {

  private static final String DUE =
      """
      update task set progress_at = clock_timestamp()
      where session_id = :session and state = 'running' and background
        and (progress_at is null or progress_at <= clock_timestamp() - interval '1 second')
      returning id
      """;

  private static final String SO_FAR =
      """
      select count(*) as turns, coalesce(sum(message.input_tokens), 0) as input,
             coalesce(sum(message.output_tokens), 0) as output,
             (select count(*) from tool_call call
              where call.session_id = task.session_id and started_at >= task.started_at) as calls,
             (select name from tool_call call
              where call.session_id = task.session_id and started_at >= task.started_at
              order by message_seq desc, idx desc limit 1) as last_tool
      from task join message on message.session_id = task.session_id
      where task.id = :id and role = 'assistant' and message.created_at >= task.started_at
      group by task.id
      """;

  private final Jdbi jdbi;
  private final TaskStore tasks;
  private final TaskEvents events;

  TaskProgress(Jdbi jdbi, TaskStore tasks, TaskEvents events) {
    this.jdbi = jdbi;
    this.tasks = tasks;
    this.events = events;
  }

  private record SoFar(UsageTotals spent, @Nullable String lastTool) {}

  /** Records an event if the session works on a background task and the last one is a second old. */
  @Transactional(Transactional.TxType.MANDATORY)
  public void record(SessionId session) {
    jdbi.withHandle(handle ->
            handle
                .createQuery(DUE)
                .bind("session", session.value())
                .mapTo(UUID.class)
                .map(TaskId::new)
                .findOne())
        .flatMap(tasks::find)
        .ifPresent(this::publish);
  }

  private void publish(Task task) {
    var soFar =
        jdbi.withHandle(handle ->
            handle
                .createQuery(SO_FAR)
                .bind("id", task.id().value())
                .map((row, _) -> soFar(row))
                .findOne());
    soFar.ifPresent(found -> events.progressed(task, found.spent(), found.lastTool()));
  }

  private static SoFar soFar(ResultSet row) throws SQLException {
    var spent =
        new UsageTotals(
            row.getLong("input"),
            row.getLong("output"),
            row.getLong("turns"),
            row.getLong("calls"));
    return new SoFar(spent, row.getString("last_tool"));
  }
}
