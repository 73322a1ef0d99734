package dev.errand.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.jdbi.v3.core.Jdbi;

/** How long sessions lie about after their worker was interrupted, until somebody drives them. */
final class Takeovers {

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration SOMETHING_TO_DO = Duration.ofSeconds(5);
  private static final long LOOK_NANOS = Duration.ofMillis(50).toNanos();

  private static final Set<String> RESTING = Set.of("idle", "waiting", "closed");

  private final Jdbi jdbi;
  private final List<Long> millis = new ArrayList<>();

  Takeovers(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** What the process drives, with the epoch at which it does; as soon as it drives something. */
  Map<UUID, Long> drivenBy(long pid) {
    var until = System.nanoTime() + SOMETHING_TO_DO.toNanos();
    var driven = drivenNowBy(pid);
    while (driven.isEmpty() && System.nanoTime() < until) {
      LockSupport.parkNanos(LOOK_NANOS);
      driven = drivenNowBy(pid);
    }
    return driven;
  }

  private Map<UUID, Long> drivenNowBy(long pid) {
    return driven(
        """
        select session.id, epoch from session join node on node.id = node_id
        where node.name = :name and session.state = 'running'
        """,
        pid);
  }

  /** Those of them that no tool call holds up. */
  Map<UUID, Long> drivenBetweenTurnsBy(long pid) {
    return driven(
        """
        select session.id, epoch from session join node on node.id = node_id
        where node.name = :name and session.state = 'running'
          and not exists (select 1 from tool_call where session_id = session.id and tool_call.state = 'started')
        """,
        pid);
  }

  private Map<UUID, Long> driven(String sql, long pid) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(sql)
            .bind("name", "pid-" + pid)
            .reduceRows(
                new HashMap<UUID, Long>(),
                (all, row) -> {
                  all.put(row.getColumn("id", UUID.class), row.getColumn("epoch", Long.class));
                  return all;
                }));
  }

  /**
   * Waits until each of them was claimed by somebody else, and notes how long that took. One that
   * came to rest in the last moment needs nobody else, and does not count.
   *
   * @param from when the worker was interrupted, by {@link System#nanoTime}
   */
  void await(Map<UUID, Long> driven, long from) {
    var left = new HashMap<>(driven);
    while (!left.isEmpty() && System.nanoTime() - from < LIMIT.toNanos()) {
      for (var now : lookAt(left)) {
        var before = Objects.requireNonNull(left.get(now.session()));
        var claimed = now.epoch() > before && now.state().equals("running");
        if (claimed || now.epoch() >= before + 2) {
          left.remove(now.session());
          millis.add((System.nanoTime() - from) / 1_000_000);
        } else if (RESTING.contains(now.state())) {
          left.remove(now.session());
        }
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
    left.forEach((_, _) -> millis.add(LIMIT.toMillis()));
  }

  /** Notes the time since {@code from}. */
  void note(long from) {
    millis.add((System.nanoTime() - from) / 1_000_000);
  }

  private record Seen(UUID session, long epoch, String state) {}

  private List<Seen> lookAt(Map<UUID, Long> of) {
    try {
      return jdbi.withHandle(handle ->
          handle
              .createQuery("select id, epoch, state from session where id = any(:ids)")
              .bindArray("ids", UUID.class, List.copyOf(of.keySet()))
              .map((row, _) ->
                  new Seen(
                      row.getObject("id", UUID.class),
                      row.getLong("epoch"),
                      row.getString("state")))
              .list());
    } catch (RuntimeException databaseAway) {
      return List.of();
    }
  }

  List<Long> millis() {
    return List.copyOf(millis);
  }
}
