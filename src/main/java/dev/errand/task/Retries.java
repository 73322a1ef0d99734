package dev.errand.task;

import dev.errand.agent.Agents;
import dev.errand.conversation.SessionId;
import dev.errand.time.Backoff;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.time.Instant;
import java.util.Optional;
import org.jboss.logging.Logger;

/**
 * Repeats failed attempts of tasks, as often as the task's agent allows. The next attempt resumes
 * from the last saved turn. Lost workers do not count.
 */
@ApplicationScoped
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
}
