package dev.errand.task;

import dev.errand.conversation.SessionId;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/**
 * Time-outs that do not run, because the task's child is held, or one below it that it waits for:
 * by a pause, or because its tenant has used up its day. When they run again, the time that has
 * passed is added.
 */
@Singleton
public class StoppedClocks {

  private static final String STOP =
      """
      update task set paused_at = coalesce(paused_at, clock_timestamp()), paused_below = false
      where session_id = ? and state in ('pending', 'running')
      """;

  private static final String RESUME =
      """
      update task
      set deadline_at = deadline_at + (clock_timestamp() - paused_at), paused_at = null, paused_below = false
      where session_id = ? and state in ('pending', 'running') and paused_at is not null
      """;

  private static final String STOP_ABOVE =
      """
      update task set paused_at = clock_timestamp(), paused_below = true
      from (select id from task
            where session_id = any(:above) and state in ('pending', 'running') and paused_at is null
            for no key update skip locked) waiting
      where task.id = waiting.id
      """;

  private static final String RESUME_ABOVE =
      """
      update task
      set deadline_at = deadline_at + (clock_timestamp() - paused_at), paused_at = null, paused_below = false
      from (select id from task
            where paused_below and state in ('pending', 'running') and session_id <> all(:above)
            for no key update skip locked) again
      where task.id = again.id
      """;

  /** Whether tasks wait for held ones below them. */
  public static final String SOME_ABOVE =
      "exists (select 1 from task where paused_below and state in ('pending', 'running'))";

  private final Jdbi jdbi;
  private final TaskStore tasks;
  private final FirstRuns firstRuns;

  StoppedClocks(Jdbi jdbi, TaskStore tasks, FirstRuns firstRuns) {
    this.jdbi = jdbi;
    this.tasks = tasks;
    this.firstRuns = firstRuns;
  }

  /** This child is held from now on. */
  @Transactional(TxType.MANDATORY)
  public void stop(SessionId child) {
    jdbi.useHandle(handle -> handle.execute(STOP, child.value()));
  }

  /**
   * This session is not held any more. A task that has not begun takes a slot, as at its
   * submission: the wait gives it no place before those that wait for one.
   *
   * @return false when the session's task waits for a slot
   */
  @Transactional(TxType.MANDATORY)
  public boolean resume(SessionId session, String tenant) {
    jdbi.useHandle(handle -> handle.execute(RESUME, session.value()));
    return tasks
        .lockLive(session)
        .filter(task -> task.startedAt() == null)
        .map(task -> firstRuns.takeSlot(task.id(), tenant))
        .orElse(true);
  }

  /** Only the time-outs of these children's tasks stop because of what is below them. */
  public void stopOnlyAbove(List<SessionId> children) {
    var above = children.stream().map(SessionId::value).toList();
    jdbi.useHandle(handle -> {
      handle.createUpdate(RESUME_ABOVE).bindArray("above", UUID.class, above).execute();
      handle.createUpdate(STOP_ABOVE).bindArray("above", UUID.class, above).execute();
    });
  }
}
