package dev.errand.task;

import dev.errand.agent.Agents;
import dev.errand.postgres.IsolatedSteps;
import dev.errand.session.Lease;
import dev.errand.session.SessionLocks;
import dev.errand.session.WaitReason;
import dev.errand.session.Waits;
import dev.errand.time.Backoff;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import org.jboss.logging.Logger;

/**
 * Repeats failed attempts of tasks, as often as the task's agent allows. The next attempt resumes
 * from the last saved turn. Lost workers do not count.
 */
@Singleton
public class Retries {

  private static final Logger LOG = Logger.getLogger(Retries.class);
  private static final int BATCH = 50;

  private final SessionLocks sessions;
  private final TaskStore tasks;
  private final Waits waits;
  private final TaskEvents events;
  private final Agents agents;
  private final IsolatedSteps steps;
  private final Backoff backoff;

  Retries(
      SessionLocks sessions,
      TaskStore tasks,
      Waits waits,
      TaskEvents events,
      Agents agents,
      IsolatedSteps steps,
      RetryConfig config) {
    this.sessions = sessions;
    this.tasks = tasks;
    this.waits = waits;
    this.events = events;
    this.agents = agents;
    this.steps = steps;
    this.backoff = new Backoff(config.firstDelay(), config.longestDelay());
  }

  /** Begins the attempts that are due. */
  public void look() {
    steps.forEachIsolated(
        "retry",
        waits.due(WaitReason.RETRY, BATCH),
        child -> waits.leave(child, Set.of(WaitReason.RETRY)));
  }

  /**
   * Ends a run until the next attempt of its task, if the task's agent allows one more.
   *
   * @param error why the attempt failed
   * @return false when there is no task or no attempt left; nothing has changed then
   * @throws dev.errand.session.LeaseLost the run no longer owns the session
   */
  @Transactional(TxType.MANDATORY)
  public boolean scheduleRetry(Lease lease, TaskOutcome.Error error) {
    sessions.lock(lease);
    var again = tasks.lockLive(lease.session()).filter(this::mayTryAgain);
    again.ifPresent(task -> retry(lease, task, error));
    return again.isPresent();
  }

  private void retry(Lease lease, Task task, TaskOutcome.Error error) {
    var delay = backoff.after(task.attempts());
    tasks.retry(task.id());
    var due = waits.enter(lease, Waits.SessionWait.of(WaitReason.RETRY, "retry", delay));
    events.retrying(task, Objects.requireNonNull(due), error);
    LOG.infof(
        "Task %s: attempt %d failed (%s), the next one follows in %d ms",
        task.id(), task.attempts(), error.code(), delay.toMillis());
  }

  private boolean mayTryAgain(Task task) {
    var retries =
        agents
            .of(task.tenant())
            .find(task.subagentType())
            .map(agent -> agent.terms().maxRetries())
            .orElse(0);
    return task.state() == TaskState.RUNNING && task.attempts() <= retries;
  }

  /**
   * The waits between failed attempts of a task. The number of attempts is part of the agent's
   * definition.
   */
  @ConfigMapping(prefix = "errand.task-retry")
  public interface RetryConfig {

    /**
     * The longest wait before the second attempt; each further attempt doubles it. The wait itself
     * is random between zero and this limit, and due attempts are searched once a second. Default 2
     * s. A shorter wait recovers sooner; a longer one spares an overloaded model.
     */
    @WithDefault("2s")
    Duration firstDelay();

    /** The limit of every wait. Default 60 s. The task's time-out runs during the wait. */
    @WithDefault("60s")
    Duration longestDelay();
  }
}
