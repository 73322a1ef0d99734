package dev.errand.ops;

import dev.errand.job.JobRunrServer;
import dev.errand.pause.Pause;
import dev.errand.pause.Pauses;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.JdbiException;

/**
 * Gauges read from the database, independent of the scrape rate: live rows and dead deliveries are
 * counted every 5 s, all rows every minute if some have changed, or less often when that takes
 * long. Every node reports the same values. While the database is unavailable, there are no values.
 */
@Singleton
class Gauges {

  private static final Logger LOG = Logger.getLogger(Gauges.class);

  private static final long UNKNOWN = -1;
  private static final String TASKS = "errand.tasks";
  private static final String OUTBOX = "errand.outbox";
  private static final String SESSIONS = "errand.sessions";
  private static final String WAITING_TASKS = "errand.tasks.waiting";
  private static final String OLDEST_TASK = "errand.tasks.oldest.pending.seconds";
  private static final String OLDEST_SESSION = "errand.sessions.oldest.queued.seconds";
  private static final String OLDEST_DELIVERY = "errand.outbox.oldest.pending.seconds";
  private static final String KEPT_NOTICES = "errand.notices.held";
  private static final String NODES = "errand.nodes.live";
  private static final String PAUSED = "errand.sessions.paused";

  private static final Map<String, List<String>> STATES =
      Map.of(
          TASKS, List.of("pending", "running", "completed", "failed", "cancelled", "timed_out"),
          OUTBOX, List.of("pending", "delivered", "consumed", "suppressed", "dead"),
          SESSIONS, List.of("idle", "queued", "running", "waiting", "closed"));

  /** The names that {@link TaskStats} has for the rows of a gauge. */
  private static final Map<String, String> ROWS =
      Map.of(TASKS, "task:", OUTBOX, "delivery:", SESSIONS, "session:");

  /** Counted every 5 s. */
  private static final Set<String> LIVE =
      Set.of(
          TASKS + "pending",
          TASKS + "running",
          OUTBOX + "pending",
          OUTBOX + "dead",
          SESSIONS + "queued",
          SESSIONS + "running");

  private final TaskStats stats;
  private final JobRunrServer jobRunr;
  private final Pauses pauses;
  private final MeterRegistry registry;
  private final Map<String, Double> values = new ConcurrentHashMap<>();
  private final Rest rest = new Rest();
  private volatile boolean reached;
  private volatile long changes = UNKNOWN;

  Gauges(TaskStats stats, JobRunrServer jobRunr, Pauses pauses, MeterRegistry registry) {
    this.stats = stats;
    this.jobRunr = jobRunr;
    this.pauses = pauses;
    this.registry = registry;
  }

  void register(@Observes StartupEvent start) {
    STATES.forEach((name, states) ->
        states.forEach(state ->
            registry.gauge(
                name, Tags.of("state", state), this, gauges -> gauges.value(name + state))));
    for (var name :
        List.of(
            WAITING_TASKS,
            OLDEST_TASK,
            OLDEST_SESSION,
            OLDEST_DELIVERY,
            KEPT_NOTICES,
            PAUSED,
            NODES)) {
      registry.gauge(name, this, gauges -> gauges.value(name));
    }
    for (var scope : Pause.PauseScope.values()) {
      registry.gauge(
          "errand.pauses",
          Tags.of("scope", scope.word()),
          pauses,
          all -> all.inForce().stream().filter(pause -> pause.scope() == scope).count());
    }
    registry.gauge("errand.jobrunr.server.up", jobRunr, server -> server.isProcessing() ? 1 : 0);
    registry.gauge("errand.database.up", this, gauges -> gauges.reached ? 1 : 0);
  }

  /** Reports the running version: {@code errand_build_info{version,java}}, always 1. */
  void registerVersion(
      @Observes StartupEvent start,
      @ConfigProperty(name = "quarkus.application.version") String version) {
    Gauge.builder("errand.build.info", () -> 1)
        .tag("version", version)
        .tag("java", Integer.toString(Runtime.version().feature()))
        .register(registry);
  }

  /**
   * Counts the rows that have changed. If this takes too long or fails, the previous values stay,
   * and the live rows are counted.
   */
  @Scheduled(every = "60s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  void countChanged() {
    var now = stats.changes();
    if (now != changes) {
      rest.whenOver(() -> {
        countAll();
        changes = now;
      });
    }
  }

  void countAll() {
    var counts = stats.byState();
    STATES.forEach((name, states) ->
        states.stream()
            .filter(state -> !LIVE.contains(name + state))
            .forEach(state -> keep(name + state, counts.getOrDefault(ROWS.get(name) + state, 0L))));
  }

  @Scheduled(every = "5s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  void countLive() {
    try {
      var live = stats.live();
      live.tasks().forEach((state, count) -> keep(TASKS + state, count));
      live.outbox().forEach((state, count) -> keep(OUTBOX + state, count));
      live.sessions().forEach((state, count) -> keep(SESSIONS + state, count));
      keep(WAITING_TASKS, live.waitingTasks());
      keep(OLDEST_TASK, live.oldestPending());
      keep(OLDEST_SESSION, live.oldestQueued());
      keep(OLDEST_DELIVERY, live.oldestUndelivered());
      keep(KEPT_NOTICES, live.keptNotices());
      keep(PAUSED, live.pausedSessions());
      keep(NODES, live.nodes());
      reached = true;
    } catch (JdbiException away) {
      LOG.debug("The database is unavailable", away);
      reached = false;
    }
  }

  private void keep(String key, double value) {
    values.put(key, value);
  }

  private double value(String key) {
    return reached ? values.getOrDefault(key, Double.NaN) : Double.NaN;
  }
}
