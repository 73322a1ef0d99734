package dev.errand.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.jdbi.v3.core.Jdbi;

/** How long sessions lie about after their worker was interrupted, until somebody drives them. */
final class Takeovers {

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final long LOOK_NANOS = Duration.ofMillis(50).toNanos();

  private final Jdbi jdbi;
  private final List<Long> millis = new ArrayList<>();

  Takeovers(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** What the process drives now, with the epoch at which it does. */
  Map<UUID, Long> drivenBy(long pid) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                """
                select session.id, epoch from session join node on node.id = node_id
                where node.name = :name and session.state = 'running'
                """)
            .bind("name", "pid-" + pid)
            .reduceRows(
                new HashMap<UUID, Long>(),
                (all, row) -> {
                  all.put(row.getColumn("id", UUID.class), row.getColumn("epoch", Long.class));
                  return all;
                }));
  }

  /**
   * Waits until each of them was claimed by somebody else, and notes how long that took. A claim
   * raises the epoch once more than the taking away.
   *
   * @param from when the worker was interrupted, by {@link System#nanoTime}
   */
  void await(Map<UUID, Long> driven, long from) {
    var left = new HashMap<>(driven);
    while (!left.isEmpty() && System.nanoTime() - from < LIMIT.toNanos()) {
      epochs(left)
          .forEach((session, epoch) -> {
            var before = left.get(session);
            if (before != null && epoch >= before + 2) {
              left.remove(session);
              millis.add((System.nanoTime() - from) / 1_000_000);
            }
          });
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  /** Notes the time since {@code from}. */
  void note(long from) {
    millis.add((System.nanoTime() - from) / 1_000_000);
  }

  private Map<UUID, Long> epochs(Map<UUID, Long> of) {
    try {
      return jdbi.withHandle(handle ->
          handle
              .createQuery("select id, epoch from session where id = any(:ids)")
              .bindArray("ids", UUID.class, List.copyOf(of.keySet()))
              .reduceRows(
                  new HashMap<UUID, Long>(),
                  (all, row) -> {
                    all.put(row.getColumn("id", UUID.class), row.getColumn("epoch", Long.class));
                    return all;
                  }));
    } catch (RuntimeException databaseAway) {
      return Map.of();
    }
  }

  List<Long> millis() {
    return List.copyOf(millis);
  }
}
