package dev.errand.delivery.outgoing;

import dev.errand.outbox.ClaimedDelivery;
import dev.errand.outbox.DeliveryKind;
import dev.errand.outbox.OutgoingQueue.DueRow;
import dev.errand.outbox.OutgoingQueue.FreeRoom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * The rows that this node sends now, and which further ones it may send. Posts to callbacks are
 * limited in total, for each host and for each tenant, and events for each hook.
 */
final class InFlight {

  private final Map<String, Integer> hooks = new HashMap<>();
  private final Map<String, Integer> hosts = new HashMap<>();
  private final Map<String, Integer> tenants = new HashMap<>();
  private int posts;

  /** The number of rows that may be in flight at the same time. */
  record InFlightLimits(int posts, int perHost, int perTenant, int perHook) {}

  private InFlight() {}

  static InFlight none() {
    return new InFlight();
  }

  synchronized void enter(ClaimedDelivery row) {
    if (row.kind() == DeliveryKind.HOOK) {
      count(hooks, row.receiver(), 1);
    } else {
      countPost(row.receiver(), row.tenant(), 1);
    }
  }

  synchronized void leave(ClaimedDelivery row) {
    if (row.kind() == DeliveryKind.HOOK) {
      count(hooks, row.receiver(), -1);
    } else {
      countPost(row.receiver(), row.tenant(), -1);
    }
  }

  /** Returns where there is room now, for these hooks and for callbacks. */
  synchronized FreeRoom open(List<String> names, InFlightLimits limits) {
    return new FreeRoom(
        names.stream()
            .filter(name -> used(hooks, name) < limits.perHook())
            .collect(Collectors.toSet()),
        posts < limits.posts(),
        full(hosts, limits.perHost()),
        full(tenants, limits.perTenant()));
  }

  /** Chooses those of the rows for which there is room, in their order. */
  synchronized List<UUID> choose(List<DueRow> due, InFlightLimits limits) {
    var after = copy();
    return due.stream().filter(row -> after.take(row, limits)).map(DueRow::id).toList();
  }

  private InFlight copy() {
    var copy = new InFlight();
    copy.hooks.putAll(hooks);
    copy.hosts.putAll(hosts);
    copy.tenants.putAll(tenants);
    copy.posts = posts;
    return copy;
  }

  private boolean take(DueRow row, InFlightLimits limits) {
    if (row.forHook()) {
      var hasRoom = used(hooks, row.receiver()) < limits.perHook();
      count(hooks, row.receiver(), hasRoom ? 1 : 0);
      return hasRoom;
    }
    var hasRoom =
        posts < limits.posts()
            && used(hosts, row.receiver()) < limits.perHost()
            && used(tenants, row.tenant()) < limits.perTenant();
    countPost(row.receiver(), row.tenant(), hasRoom ? 1 : 0);
    return hasRoom;
  }

  private void countPost(String host, String tenant, int by) {
    count(hosts, host, by);
    count(tenants, tenant, by);
    posts += by;
  }

  private static void count(Map<String, Integer> numbers, String name, int by) {
    numbers.merge(name, by, Integer::sum);
    numbers.remove(name, 0);
  }

  private static int used(Map<String, Integer> numbers, String name) {
    return numbers.getOrDefault(name, 0);
  }

  private static Set<String> full(Map<String, Integer> numbers, int limit) {
    return numbers.entrySet().stream()
        .filter(entry -> entry.getValue() >= limit)
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }
}
