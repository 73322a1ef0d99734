package dev.errand.ops;

import dev.errand.job.JobRunrServer;
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
import org.jboss.logging.Logger;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/**
 * Gauges read from the database, independent of the scrape rate: live rows are counted every 5 s,
 * all rows every minute. Every node reports the same values. While the database is unavailable,
 * there are no values.
 */
@ApplicationScoped
class Gauges {

  private static final Logger LOG = Logger.getLogger(Gauges.class);

  private static final String TASKS = "errand.tasks";
  private static final String OUTBOX = "errand.outbox";
  private static final String SESSIONS = "errand.sessions";
  private static final String OLDEST_TASK = "errand.tasks.oldest.pending.seconds";
  private static final String OLDEST_SESSION = "errand.sessions.oldest.queued.seconds";
  private static final String OLDEST_DELIVERY = "errand.outbox.oldest.pending.seconds";
  private static final String HELD_NOTICES = "errand.notices.held";
  private static final String NODES = "errand.nodes.live";

  private static final Map<String, List<String>> STATES =
      Map.of(
          TASKS, List.of("pending", "running", "completed", "failed", "cancelled", "timed_out"),
          OUTBOX, List.of("pending", "delivered", "consumed", "suppressed", "dead"),
          SESSIONS, List.of("idle", "queued", "running", "waiting", "closed"));

  private final TaskStats stats;
  private final JobRunrServer jobRunr;
  private final MeterRegistry registry;
  private final Map<String, Double> values = new ConcurrentHashMap<>();
  private volatile boolean reached;

  Gauges(TaskStats stats, JobRunrServer jobRunr, MeterRegistry registry) {
    this.stats = stats;
    this.jobRunr = jobRunr;
    this.registry = registry;
  }

  void register(@Observes StartupEvent start) {
    STATES.forEach((name, states) ->
        states.forEach(state ->
            registry.gauge(
                name, Tags.of("state", state), values, all -> value(all, name + state))));
    for (var name : List.of(OLDEST_TASK, OLDEST_SESSION, OLDEST_DELIVERY, HELD_NOTICES, NODES)) {
      registry.gauge(name, values, all -> value(all, name));
    }
    registry.gauge("errand.jobrunr.server.up", jobRunr, server -> server.isProcessing() ? 1 : 0);
    registry.gauge("errand.database.up", this, gauges -> gauges.reached ? 1 : 0);
  }

  @Scheduled(every = "60s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  void countAll() {
    refresh(() -> {
      keep(TASKS, STATES.get(TASKS), stats.tasksByState());
      keep(OUTBOX, STATES.get(OUTBOX), stats.outboxByState());
      keep(SESSIONS, STATES.get(SESSIONS), stats.sessionsByState());
    });
  }

  @Scheduled(every = "5s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  void countLive() {
    refresh(() -> {
      keep(TASKS, List.of("pending", "running"), stats.liveTasksByState());
      keep(OUTBOX, List.of("pending"), stats.liveOutboxByState());
      keep(SESSIONS, List.of("queued", "running"), stats.liveSessionsByState());
      keep(OLDEST_TASK, stats.oldestPendingSeconds());
      keep(OLDEST_SESSION, stats.oldestQueuedSeconds());
      keep(OLDEST_DELIVERY, stats.oldestUndeliveredSeconds());
      values.put(HELD_NOTICES, (double) stats.heldNotices());
      values.put(NODES, (double) stats.livingNodes());
    });
  }

  private void refresh(Runnable queries) {
    try {
      queries.run();
      reached = true;
    } catch (JdbiException away) {
      LOG.debug("The database is unavailable", away);
      reached = false;
      values.clear();
    }
  }

  private void keep(String name, @Nullable List<String> states, Map<String, Long> counts) {
    Objects.requireNonNull(states)
        .forEach(state -> values.put(name + state, counts.getOrDefault(state, 0L).doubleValue()));
  }

  private void keep(String name, @Nullable Double seconds) {
    values.put(name, Objects.requireNonNullElse(seconds, 0.0));
  }

  private static double value(Map<String, Double> values, String key) {
    return values.getOrDefault(key, Double.NaN);
  }
}
