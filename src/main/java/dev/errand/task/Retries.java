package dev.errand.task;

import dev.errand.agent.Agents;
import dev.errand.conversation.SessionId;
import dev.errand.time.Backoff;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jboss.logging.Logger;

/**
 * Repeats failed attempts of tasks, as often as the task's agent allows. The next attempt resumes
 * from the last saved turn. Lost workers do not count.
 */
@Singleton
public class Retries {

  private static final Logger LOG = Logger.getLogger(Retries.class);

  private final TaskStore tasks;
  private final DeferredTasks deferred;
  private final TaskEvents events;
  private final Agents agents;
  private final Backoff backoff;

  Retries(
      TaskStore tasks,
      DeferredTasks deferred,
      TaskEvents events,
      Agents agents,
      RetryConfig config) {
    this.tasks = tasks;
    this.deferred = deferred;
    this.events = events;
    this.agents = agents;
    this.backoff = new Backoff(config.firstDelay(), config.longestDelay());
  }

  /**
   * Schedules the next attempt of the session's task, if its agent allows one more. Called after
   * the session's row is locked.
   *
   * @param error why the attempt failed
   * @return when the next attempt is due; empty when there is no task or no attempt left
   */
  @Transactional(TxType.MANDATORY)
  public Optional<Instant> scheduleRetry(SessionId session, TaskOutcome.Error error) {
    var again = tasks.lockLive(session).filter(this::mayTryAgain);
    return again.map(task -> {
      var attempts = task.attempts();
      var delay = backoff.after(attempts);
      var due = deferred.scheduleRetry(task.id(), delay);
      events.retrying(task, due, error);
      LOG.infof(
          "Task %s: attempt %d failed (%s), the next one follows in %d ms",
          task.id(), attempts, error.code(), delay.toMillis());
      return due;
    });
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
