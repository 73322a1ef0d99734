package dev.errand.ops;

import dev.errand.job.JobRunrServer;
import dev.errand.task.TaskStats;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/** What stands in the database, counted every 5 s, however often it is scraped. */
@ApplicationScoped
class Gauges {

  private static final List<String> TASK_STATES =
      List.of("pending", "running", "completed", "failed", "cancelled", "timed_out");
  private static final List<String> OUTBOX_STATES =
      List.of("pending", "delivered", "consumed", "suppressed", "dead");
  private static final List<String> SESSION_STATES =
      List.of("idle", "queued", "running", "waiting", "closed");

  private final TaskStats stats;
  private final JobRunrServer jobRunr;
  private final MeterRegistry registry;
  private final Map<String, Double> values = new ConcurrentHashMap<>();

  Gauges(TaskStats stats, JobRunrServer jobRunr, MeterRegistry registry) {
    this.stats = stats;
    this.jobRunr = jobRunr;
    this.registry = registry;
  }

  void register(@Observes StartupEvent start) {
    byState("errand.tasks", TASK_STATES);
    byState("errand.outbox", OUTBOX_STATES);
    byState("errand.sessions", SESSION_STATES);
    registry.gauge("errand.outbox.oldest.pending.seconds", values, all -> value(all, "oldest"));
    registry.gauge("errand.jobrunr.server.up", jobRunr, server -> server.isProcessing() ? 1 : 0);
  }

  private void byState(String name, List<String> states) {
    for (var state : states) {
      registry.gauge(name, Tags.of("state", state), values, all -> value(all, name + state));
    }
  }

  @Scheduled(every = "5s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  void count() {
    keep("errand.tasks", TASK_STATES, stats.tasksByState());
    keep("errand.outbox", OUTBOX_STATES, stats.outboxByState());
    keep("errand.sessions", SESSION_STATES, stats.sessionsByState());
    values.put("oldest", Objects.requireNonNullElse(stats.oldestUndeliveredSeconds(), 0.0));
  }

  private void keep(String name, List<String> states, Map<String, Long> counts) {
    states.forEach(state -> values.put(name + state, counts.getOrDefault(state, 0L).doubleValue()));
  }

  private static double value(Map<String, Double> values, String key) {
    return values.getOrDefault(key, 0.0);
  }
}
