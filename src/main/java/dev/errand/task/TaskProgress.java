package dev.errand.task;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.Cost;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.UsageTotals;
import dev.errand.postgres.Json;
import dev.errand.session.SessionUsage;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Objects;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.StatementContext;
import org.jspecify.annotations.Nullable;

/**
 * The progress of tasks: at most once a second for each task, by the database's clock. It is kept
 * with every task, and reported by an event of a background task.
 */
@Singleton
public class TaskProgress {

  private static final String DUE =
      """
      update task
      set progress_at = clock_timestamp(),
          progress = 'turn ' || child.run_turns
            || coalesce(' · ' || (
                 select name from tool_call
                 where tool_call.session_id = child.id and tool_call.started_at >= task.started_at
                 order by message_seq desc, idx desc limit 1), '')
            || ' · ' || floor(extract(epoch from clock_timestamp() - task.started_at)) || ' s'
      from session child
      where task.session_id = :session and task.state = 'running'
        and (progress_at is null or progress_at <= clock_timestamp() - interval '1 second')
        and child.id = task.session_id
      returning task.*, null::text as delivery_state, null::text as changes,
        child.created_at = task.created_at as is_first, child.turns as child_turns, child.input_tokens as child_input,
        child.cached_input_tokens as child_cached, child.output_tokens as child_output, child.cost as child_cost,
        (select count(*) from tool_call
         where tool_call.session_id = child.id and tool_call.started_at >= task.started_at) as started_calls,
        (select name from tool_call
         where tool_call.session_id = child.id and tool_call.started_at >= task.started_at
         order by message_seq desc, idx desc limit 1) as last_tool,
        (select origin from session where id = parent_session_id) as parent_origin
      """;

  private final Jdbi jdbi;
  private final Json json;
  private final SessionUsage usage;
  private final TaskEvents events;
  private final TaskMapper mapper = new TaskMapper();

  TaskProgress(Jdbi jdbi, Json json, SessionUsage usage, TaskEvents events) {
    this.jdbi = jdbi;
    this.json = json;
    this.usage = usage;
    this.events = events;
  }

  /**
   * The data from which the progress of a task is described.
   *
   * @param child what its child has used; null when the child has had other tasks before
   * @param startedCalls tool calls of the task that were started
   * @param lastTool the tool of the call that was started last
   */
  private record SoFar(
      Task task,
      @Nullable UsageTotals child,
      long startedCalls,
      @Nullable String lastTool,
      @Nullable JsonNode origin) {}

  /**
   * Writes the progress of the task that the session works on, if that was not done within the last
   * second, and records an event if it is a background task.
   */
  @Transactional(Transactional.TxType.MANDATORY)
  public void record(SessionId session) {
    jdbi.withHandle(
            handle -> handle.createQuery(DUE).bind("session", session).map(this::soFar).findOne())
        .filter(soFar -> soFar.task().background())
        .ifPresent(this::publish);
  }

  private SoFar soFar(ResultSet row, StatementContext context) throws SQLException {
    var calls = row.getLong("started_calls");
    var child =
        new UsageTotals(
            row.getLong("child_input"),
            row.getLong("child_cached"),
            row.getLong("child_output"),
            row.getLong("child_turns"),
            calls,
            Cost.ofMicros(row.getObject("child_cost", Long.class)));
    return new SoFar(
        mapper.map(row, context),
        row.getBoolean("is_first") ? child : null,
        calls,
        row.getString("last_tool"),
        json.readTree(row.getString("parent_origin")));
  }

  private void publish(SoFar soFar) {
    var task = soFar.task();
    var used = soFar.child();
    if (used == null) {
      used = usage.since(task.child(), Objects.requireNonNull(task.startedAt()));
      used = used.withToolCalls(soFar.startedCalls());
    }
    events.progressed(task, used, soFar.lastTool(), soFar.origin());
  }
}
