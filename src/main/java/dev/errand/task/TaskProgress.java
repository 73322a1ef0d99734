package dev.errand.task;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.session.SessionUsage;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.util.Objects;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

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

  private final Jdbi jdbi;
  private final TaskStore tasks;
  private final SessionUsage usage;
  private final TaskEvents events;

  TaskProgress(Jdbi jdbi, TaskStore tasks, SessionUsage usage, TaskEvents events) {
    this.jdbi = jdbi;
    this.tasks = tasks;
    this.usage = usage;
    this.events = events;
  }

  /**
   * Records an event if the session works on a background task and the task's last such event is at
   * least a second old.
   */
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
    usage
        .soFar(task.child(), Objects.requireNonNull(task.startedAt()))
        .ifPresent(soFar -> events.progressed(task, soFar.usage(), soFar.lastTool()));
  }
}
