package dev.errand.node;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The times for which the locks of other nodes have been free, as seen by looking once a second.
 */
final class FreeLocks {

  /**
   * How long a lock must have been free: its node may be reconnecting. At four looks in a row, the
   * first and the last of which may be late and early; a longer time would often need a fifth.
   */
  private static final Duration LONG = Duration.ofMillis(2_500);

  private final Map<UUID, Long> since = new ConcurrentHashMap<>();

  /**
   * Notes which locks are free.
   *
   * @param now as {@link System#nanoTime}
   * @return the nodes whose locks have been free for so long that the nodes are dead
   */
  List<UUID> look(Collection<UUID> free, long now) {
    since.keySet().retainAll(free);
    free.forEach(node -> since.putIfAbsent(node, now));
    return free.stream().filter(node -> isLong(since.get(node), now)).toList();
  }

  private static boolean isLong(@Nullable Long from, long now) {
    return from != null && now - from >= LONG.toNanos();
  }
}
