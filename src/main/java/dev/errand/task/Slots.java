package dev.errand.task;

import dev.errand.node.Hints;
import dev.errand.node.Topic;
import dev.errand.postgres.AfterCommit;
import dev.errand.session.LiveSessions;
import dev.errand.tenant.Tenants;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * The free slots, as far as this node knows: what all nodes can drive at a time, minus the sessions
 * that are queued or running. The numbers are read at most once a second, and adjusted by what this
 * node begins and ends, so that a task that finds a free slot costs no statement. They may be wrong
 * by what other nodes did since; then a few tasks too many wait in JobRunr's queue, or a task waits
 * in the table until the next reading (architecture, rule 22).
 */
@Singleton
public class Slots {

  private static final Duration OLD = Duration.ofMillis(200);

  private final LiveSessions sessions;
  private final Tenants tenants;
  private final Hints hints;
  private final AfterCommit afterCommit;

  /** One reading at a time, so that an older one never replaces a newer one. */
  private final ReentrantLock reading = new ReentrantLock();

  private int total;
  private final Map<String, Integer> busy = new HashMap<>();

  /** Tenants that have waiting tasks. */
  private final Set<String> waiting = new HashSet<>();

  /** Tenants that got waiting tasks after the numbers were read. */
  private final Set<String> joined = new HashSet<>();

  private long readAt = System.nanoTime();

  /**
   * @param own the slots of this node, which are all that are known at its start
   */
  Slots(
      LiveSessions sessions,
      Tenants tenants,
      Hints hints,
      AfterCommit afterCommit,
      MeterRegistry registry,
      @ConfigProperty(name = "errand.max-concurrent-runs") int own) {
    this.sessions = sessions;
    this.tenants = tenants;
    this.hints = hints;
    this.afterCommit = afterCommit;
    this.total = own;
    registry.gauge("errand.slots.free", this, slots -> Math.max(0, slots.free()));
  }

  /**
   * Takes a slot for the first run of a task of this transaction; a rollback gives it back. Tasks
   * that wait go first.
   *
   * @return false when the task has to wait
   */
  boolean take(String tenant) {
    var taken = takeNow(tenant);
    if (taken) {
      afterCommit.otherwise(() -> ended(tenant));
    }
    return taken;
  }

  private synchronized boolean takeNow(String tenant) {
    if (!isFree(tenant) || waiting.stream().anyMatch(this::isFree)) {
      return false;
    }
    begun(tenant);
    return true;
  }

  /** Records that the tenant has one more task that waits, once this transaction has committed. */
  void waits(String tenant) {
    afterCommit.run(() -> {
      if (mayAdmit(tenant)) {
        hints.give(Topic.WAITS);
      }
    });
  }

  private synchronized boolean mayAdmit(String tenant) {
    waiting.add(tenant);
    joined.add(tenant);
    return isFree(tenant) || System.nanoTime() - readAt > OLD.toNanos();
  }

  /** Records that a run of this node ended. */
  public void ended(String tenant) {
    if (freed(tenant)) {
      hints.give(Topic.WAITS);
    }
  }

  private synchronized boolean freed(String tenant) {
    busy.computeIfPresent(tenant, (_, runs) -> runs > 1 ? runs - 1 : null);
    return !waiting.isEmpty();
  }

  synchronized void begun(String tenant) {
    busy.merge(tenant, 1, Integer::sum);
  }

  /** Returns whether a run of the tenant may begin. */
  synchronized boolean isFree(String tenant) {
    var limit = tenants.of(tenant).maxConcurrentRuns();
    return free() > 0 && (limit == null || busy.getOrDefault(tenant, 0) < limit);
  }

  synchronized int free() {
    return total - busy.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** Returns whether tasks wait. */
  synchronized boolean areAwaited() {
    return !waiting.isEmpty();
  }

  /** Returns whether sessions of which this node knows are driven, or tasks wait. */
  synchronized boolean areUsed() {
    return !busy.isEmpty() || !waiting.isEmpty();
  }

  /** Reads the numbers again. {@link #waiting} says afterwards which tenants wait. */
  void read() {
    reading.lock();
    try {
      synchronized (this) {
        joined.clear();
      }
      var load = sessions.load();
      synchronized (this) {
        readAt = System.nanoTime();
        total = load.slots();
        busy.clear();
        busy.putAll(load.byTenant());
      }
    } finally {
      reading.unlock();
    }
  }

  /**
   * Records that only these tenants have waiting tasks, and those that got some in the meantime.
   */
  synchronized void waiting(Collection<String> tenantIds) {
    waiting.clear();
    waiting.addAll(tenantIds);
    waiting.addAll(joined);
  }
}
