package dev.errand.task;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Whose turn it is: tenants with waiting tasks get slots in proportion to their weights. Each slot
 * moves a tenant's next turn by a distance that is shorter the higher its weight is, and the
 * earliest turn is served first. A tenant that had nothing to run has no credit for that time: its
 * next turn is the current one, before the next turns of those that were just served.
 */
final class TenantTurns {

  /** The distance for a weight of 1. Small weights divide it without a remainder. */
  private static final long DISTANCE = 720_720_000;

  private final Map<String, Long> next = new HashMap<>();
  private long now;

  /** The tenant whose turn it is; of several, the one whose name is first. */
  Optional<String> first(Collection<String> waiting) {
    return waiting.stream()
        .min(Comparator.comparingLong(this::turn).thenComparing(Comparator.naturalOrder()));
  }

  /** A tenant got a slot. */
  void served(String tenant, int weight) {
    now = turn(tenant);
    next.values().removeIf(turn -> turn <= now);
    next.put(tenant, now + DISTANCE / weight);
  }

  private long turn(String tenant) {
    return Math.max(now, next.getOrDefault(tenant, now));
  }
}
