package dev.errand.task;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.session.ModelCalls;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;

/** Finds the tasks that have timed out, by the clock of the database. */
@Singleton
class OverdueTasks {

  static final String SOME =
      """
      exists (select 1 from task
              where state in ('pending', 'running') and deadline_at <= now() and clock_stopped_at is null and session_id is not null)
      """;

  private final Jdbi jdbi;
  private final ModelCalls modelCalls;

  OverdueTasks(Jdbi jdbi, ModelCalls modelCalls) {
    this.jdbi = jdbi;
    this.modelCalls = modelCalls;
  }

  /** A task that has timed out, and its child. */
  record OverdueTask(TaskId id, SessionId child) {}

  /**
   * Returns the tasks that have timed out, at most {@code limit}; those with a worktree, whose ends
   * wait for git, last. Reads no more of a row than it needs.
   */
  List<OverdueTask> find(int limit) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                """
                select id, session_id as child from task
                where state in ('pending', 'running') and deadline_at <= statement_timestamp() and clock_stopped_at is null
                  and session_id is not null
                order by isolation, deadline_at limit :limit
                """)
            .bind("limit", limit)
            .mapTo(OverdueTask.class)
            .list());
  }

  /**
   * Returns why a task may not have ended: its model gave no answer. The end of a sentence, empty
   * if nothing is known. Read before the session is taken from its run.
   */
  @Transactional(TxType.MANDATORY)
  String problem(Task task) {
    return Optional.ofNullable(task.startedAt())
        .flatMap(since -> modelCalls.last(task.child(), since))
        .map(fault ->
            "; its last model call failed (%s): %s".formatted(fault.code(), fault.message()))
        .orElse("");
  }

  /**
   * Returns the time until the next running task times out, negative when one has; empty when none
   * is running.
   */
  Optional<Duration> nextDeadline() {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                """
                select ceil(extract(epoch from deadline_at - clock_timestamp()) * 1000)::bigint
                from task where state = 'running' and deadline_at is not null and clock_stopped_at is null
                order by deadline_at limit 1
                """)
            .mapTo(Long.class)
            .findOne()
            .map(Duration::ofMillis));
  }
}
