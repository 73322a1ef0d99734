package dev.errand.task;

import dev.errand.conversation.SessionId;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/**
 * The time-outs that do not run, because the task's child, or a child below it that it waits for,
 * waits for a pause or for the next day of its tenant. When they run again, the time that has
 * passed is added.
 */
@Singleton
public class StoppedClocks {

  private static final String STOP =
      """
      update task set clock_stopped_at = coalesce(clock_stopped_at, clock_timestamp())
      where session_id = ? and state in ('pending', 'running')
      """;

  private static final String RESUME =
      """
      update task
      set deadline_at = deadline_at + (clock_timestamp() - clock_stopped_at), clock_stopped_at = null
      where session_id = ? and state in ('pending', 'running') and clock_stopped_at is not null
      """;

  private static final String STOP_ABOVE =
      """
      update task set clock_stopped_at = clock_timestamp()
      from (select id from task
            where session_id = any(:above) and state in ('pending', 'running') and clock_stopped_at is null
            for no key update skip locked) waiting
      where task.id = waiting.id
      """;

  /** One snapshot sees a clock and the wait of its session, which are written in one commit. */
  private static final String RESUME_ABOVE =
      """
      update task
      set deadline_at = deadline_at + (clock_timestamp() - clock_stopped_at), clock_stopped_at = null
      from (select id from task
            where clock_stopped_at is not null and state in ('pending', 'running') and session_id <> all(:above)
            for no key update skip locked) again
      where task.id = again.id
        and not exists (select 1 from session where session.id = task.session_id and waits_for in ('pause', 'quota'))
      """;

  /** Whether the time-outs of tasks do not run. */
  public static final String SOME_STOPPED =
      "exists (select 1 from task where clock_stopped_at is not null and state in ('pending', 'running'))";

  private final Jdbi jdbi;
  private final TaskStore tasks;
  private final FirstRuns firstRuns;

  StoppedClocks(Jdbi jdbi, TaskStore tasks, FirstRuns firstRuns) {
    this.jdbi = jdbi;
    this.tasks = tasks;
    this.firstRuns = firstRuns;
  }

  /** Stops the time-out of a child's task. */
  @Transactional(TxType.MANDATORY)
  public void stop(SessionId child) {
    jdbi.useHandle(handle -> handle.execute(STOP, child));
  }

  /**
   * Lets the time-out of a session's task run again. A task that has not begun takes a slot, as at
   * its submission: the wait gives it no place before those that wait for one.
   *
   * @return false when the session's task waits for a slot
   */
  @Transactional(TxType.MANDATORY)
  public boolean resume(SessionId session) {
    jdbi.useHandle(handle -> handle.execute(RESUME, session));
    return tasks
        .lockLive(session)
        .filter(task -> task.startedAt() == null)
        .map(firstRuns::takeSlot)
        .orElse(true);
  }

  /**
   * Stops the time-outs of these children's tasks, and lets those of all other tasks run that do
   * not wait for a pause or a quota themselves.
   */
  public void stopOnlyAbove(List<SessionId> children) {
    var above = children.stream().map(SessionId::value).toList();
    jdbi.useHandle(handle -> {
      handle.createUpdate(RESUME_ABOVE).bindArray("above", UUID.class, above).execute();
      handle.createUpdate(STOP_ABOVE).bindArray("above", UUID.class, above).execute();
    });
  }
}
