package dev.errand.task;

import dev.errand.postgres.AfterCommit;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.time.Instant;

/**
 * What is counted of tasks; each is counted when the transaction that makes it so has committed.
 */
@ApplicationScoped
class TaskMetrics {

  private final MeterRegistry registry;
  private final AfterCommit afterCommit;

  TaskMetrics(MeterRegistry registry, AfterCommit afterCommit) {
    this.registry = registry;
    this.afterCommit = afterCommit;
  }

  void accepted(Task.Assignment assignment) {
    afterCommit.run(() ->
        registry
            .counter(
                "errand.tasks.accepted",
                "agent",
                assignment.subagentType(),
                "background",
                Boolean.toString(assignment.manner().background()))
            .increment());
  }

  /** A task got its first worker. */
  void started(Duration queuedFor) {
    afterCommit.run(() ->
        Timer.builder("errand.task.queue")
            .publishPercentileHistogram()
            .register(registry)
            .record(queuedFor));
  }

  void ended(Task task, Ending ending, Instant endedAt) {
    var agent = task.assignment().subagentType();
    var outcome = ending.state().word();
    var startedAt = task.progress().startedAt();
    afterCommit.run(() -> {
      registry.counter("errand.tasks.ended", "agent", agent, "outcome", outcome).increment();
      if (startedAt != null) {
        Timer.builder("errand.task.run")
            .tag("agent", agent)
            .tag("outcome", outcome)
            .publishPercentileHistogram()
            .register(registry)
            .record(Duration.between(startedAt, endedAt));
      }
    });
  }
}
