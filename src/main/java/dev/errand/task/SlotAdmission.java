package dev.errand.task;

import dev.errand.node.Hints;
import dev.errand.node.Sweep;
import dev.errand.node.Sweeps;
import dev.errand.node.Topic;
import dev.errand.postgres.IsolatedSteps;
import dev.errand.session.LiveSessions;
import dev.errand.session.WaitReason;
import dev.errand.session.Waits;
import dev.errand.task.SlotQueue.WaitingTask;
import dev.errand.tenant.Tenants;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Gives free slots to waiting tasks: to tenants in turn by weight, and within a tenant in the order
 * of {@link SlotQueue}. Every node does so when one of its runs ends, and once a second. Two nodes
 * that choose the same task admit it once, because its session is locked and its row says that it
 * waits.
 */
@Singleton
public class SlotAdmission {

  private static final int BATCH = 50;
  private static final int SPARE = 5;
  private static final Set<WaitReason> FOR_SLOT = Set.of(WaitReason.SLOT);

  private final Slots slots;
  private final SlotQueue queue;
  private final Tenants tenants;
  private final Waits waits;
  private final TaskStore tasks;
  private final Siblings siblings;
  private final FirstRuns firstRuns;
  private final IsolatedSteps steps;
  private final Hints hints;
  private final TenantTurns turns = new TenantTurns();
  private final ReentrantLock exclusive = new ReentrantLock();

  SlotAdmission(
      Slots slots,
      SlotQueue queue,
      Tenants tenants,
      Waits waits,
      TaskStore tasks,
      Siblings siblings,
      FirstRuns firstRuns,
      IsolatedSteps steps,
      Hints hints) {
    this.slots = slots;
    this.queue = queue;
    this.tenants = tenants;
    this.waits = waits;
    this.tasks = tasks;
    this.siblings = siblings;
    this.firstRuns = firstRuns;
    this.steps = steps;
    this.hints = hints;
  }

  /** While sessions are driven, the numbers are read once a second; see {@link Slots}. */
  void sweeps(@Observes StartupEvent start, Sweeps sweeps) {
    sweeps.add(
        Sweep.whenDue("Load", LiveSessions.SOME_LIVE, this::read).orWhenWanted(slots::areUsed));
  }

  private void read() {
    exclusively(() -> {
      slots.read();
      if (slots.areAwaited()) {
        admit();
      }
    });
  }

  /** Gives away the slots that are free now. */
  public void look() {
    exclusively(() -> {
      slots.read();
      admit();
    });
  }

  /**
   * A hint and the sweeps may come at the same time. Numbers that were read before another thread
   * admitted a task must not replace newer ones.
   */
  private void exclusively(Runnable step) {
    exclusive.lock();
    try {
      step.run();
    } finally {
      exclusive.unlock();
    }
  }

  /** Reads a few tasks more than there are slots, because some may be locked. */
  private void admit() {
    var limit = slots.free() > 0 ? Math.min(BATCH, slots.free() + SPARE) : 0;
    var first = queue.first(limit);
    var more = tenants(first, tasks -> tasks.size() == limit);
    var admitted = 0;
    for (var next = next(first); next.isPresent(); next = next(first)) {
      admitted += admit(next.get(), Objects.requireNonNull(first.get(next.get())).remove()) ? 1 : 0;
    }
    var left = tenants(first, tasks -> !tasks.isEmpty());
    slots.waiting(Stream.concat(left.stream(), more.stream()).toList());
    if (admitted > 0 && more.stream().anyMatch(slots::isFree)) {
      hints.give(Topic.WAITS);
    }
  }

  private Optional<String> next(Map<String, Deque<WaitingTask>> first) {
    return turns.first(
        tenants(first, tasks -> !tasks.isEmpty()).stream().filter(slots::isFree).toList());
  }

  private static List<String> tenants(
      Map<String, Deque<WaitingTask>> first, Predicate<Deque<WaitingTask>> which) {
    return first.entrySet().stream()
        .filter(entry -> which.test(entry.getValue()))
        .map(Map.Entry::getKey)
        .toList();
  }

  private boolean admit(String tenant, WaitingTask task) {
    var admitted = steps.countIsolated("admit", List.of(task), this::begin) == 1;
    if (admitted) {
      slots.begun(tenant);
      turns.served(tenant, tenants.of(tenant).weight());
      TaskLog.gotSlot(task);
    }
    return admitted;
  }

  private boolean begin(WaitingTask waiting) {
    return QuarkusTransaction.requiringNew()
        .call(() -> {
          var found =
              waits.lock(waiting.child(), FOR_SLOT)
                  ? tasks.lockLive(waiting.child())
                  : Optional.<Task>empty();
          var hasRoom = found.filter(siblings::haveRoomFor).isPresent();
          if (hasRoom) {
            waits.leave(waiting.child(), FOR_SLOT);
          } else {
            found.ifPresent(firstRuns::waitForLimit);
          }
          return hasRoom;
        });
  }

  /**
   * The order of the tenants: those with waiting tasks get slots in proportion to their weights.
   * Each slot moves a tenant's next turn by a distance that is shorter the higher its weight is,
   * and the earliest turn is served first. A tenant that had nothing to run has no credit for that
   * time: its next turn is the current one, before the next turns of those that were just served.
   */
  static final class TenantTurns {

    /** The distance for a weight of 1. Small weights divide it without a remainder. */
    private static final long DISTANCE = 720_720_000;

    private final Map<String, Long> next = new HashMap<>();
    private long now;

    /** Returns the tenant whose turn it is; of several, the tenant whose name is first. */
    Optional<String> first(Collection<String> waiting) {
      return waiting.stream()
          .min(Comparator.comparingLong(this::turn).thenComparing(Comparator.naturalOrder()));
    }

    /** Records that a tenant got a slot. */
    void served(String tenant, int weight) {
      now = turn(tenant);
      next.values().removeIf(turn -> turn <= now);
      next.put(tenant, now + DISTANCE / weight);
    }

    private long turn(String tenant) {
      return Math.max(now, next.getOrDefault(tenant, now));
    }
  }
}
