package dev.errand.task;

import dev.errand.agent.AgentDefinition;
import dev.errand.agent.Agents;
import dev.errand.postgres.AfterCommit;
import dev.errand.tenant.Tenant;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;

/** Metrics of tasks, counted after the commit. */
@Singleton
class TaskMetrics {

  private final MeterRegistry registry;
  private final AfterCommit afterCommit;

  TaskMetrics(MeterRegistry registry, AfterCommit afterCommit) {
    this.registry = registry;
    this.afterCommit = afterCommit;
  }

  /**
   * Registers the counters with zero: rates do not see the first event of a counter that does not
   * exist before it.
   */
  void begin(@Observes StartupEvent start, Agents agents) {
    agents.of(Tenant.DEFAULT).all().stream()
        .filter(AgentDefinition::isDelegable)
        .forEach(agent -> begin(agent.name()));
  }

  private void begin(String agent) {
    accepted(agent, true);
    accepted(agent, false);
    Arrays.stream(TaskState.values())
        .filter(state -> !state.isLive())
        .forEach(state -> ended(agent, state.word()));
    ended(agent, StopReason.NO_ANSWER.word());
  }

  /** Agents that other tenants have, or that are new, get their counters with their first task. */
  void accepted(Task task) {
    var agent = task.subagentType();
    var background = task.background();
    afterCommit.run(() -> {
      begin(agent);
      accepted(agent, background).increment();
    });
  }

  /** Counts a task that was claimed for the first time. */
  void started(Duration queuedFor) {
    afterCommit.run(() -> Timer.builder("errand.task.queue").register(registry).record(queuedFor));
  }

  void ended(Task task, TaskOutcome outcome, Instant endedAt) {
    var agent = task.subagentType();
    var startedAt = task.startedAt();
    afterCommit.run(() -> {
      ended(agent, outcome.word()).increment();
      if (startedAt != null) {
        Timer.builder("errand.task.run")
            .tag("agent", agent)
            .tag("outcome", outcome.word())
            .register(registry)
            .record(Duration.between(startedAt, endedAt));
      }
    });
  }

  private Counter accepted(String agent, boolean background) {
    return registry.counter(
        "errand.tasks.accepted", "agent", agent, "background", Boolean.toString(background));
  }

  private Counter ended(String agent, String outcome) {
    return registry.counter("errand.tasks.ended", "agent", agent, "outcome", outcome);
  }
}
