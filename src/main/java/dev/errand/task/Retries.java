package dev.errand.task;

import dev.errand.agent.Agents;
import dev.errand.conversation.SessionId;
import dev.errand.run.LoopEnd;
import dev.errand.run.Retrying;
import dev.errand.time.Backoff;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import org.jboss.logging.Logger;

/**
 * Puts a failed attempt of a task off to be made again (R5), as often as its agent allows, when the
 * fault may pass. The next attempt goes on from the last saved turn. Lost workers are not counted
 * here.
 */
@ApplicationScoped
class Retries implements Retrying {

  private static final Logger LOG = Logger.getLogger(Retries.class);

  private final TaskStore tasks;
  private final DeferredTasks waiting;
  private final Agents agents;
  private final Backoff backoff;

  Retries(TaskStore tasks, DeferredTasks waiting, Agents agents, RetryConfig config) {
    this.tasks = tasks;
    this.waiting = waiting;
    this.agents = agents;
    this.backoff = new Backoff(config.firstDelay(), config.longestDelay());
  }

  @Override
  @Transactional(TxType.MANDATORY)
  public boolean putOff(SessionId session, LoopEnd.Failed end) {
    if (!end.mayPass()) {
      return false;
    }
    var again = tasks.lockLive(session).filter(this::mayTryAgain);
    again.ifPresent(task -> {
      var attempts = task.attempts();
      var delay = backoff.after(attempts);
      waiting.putOff(task.id(), delay);
      LOG.infof(
          "Task %s: attempt %d failed (%s), the next one follows in %d ms",
          task.id(), attempts, end.code(), delay.toMillis());
    });
    return again.isPresent();
  }

  private boolean mayTryAgain(Task task) {
    var retries =
        agents.find(task.subagentType()).map(agent -> agent.terms().maxRetries()).orElse(0);
    return task.state() == TaskState.RUNNING && task.attempts() <= retries;
  }
}
