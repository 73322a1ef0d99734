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

/**
 * Measures how long sessions wait after an interruption of their worker until another worker claims
 * them.
 */
final class Takeovers {

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration RUN_LIMIT = Duration.ofSeconds(5);
  private static final long POLL_NANOS = Duration.ofMillis(50).toNanos();

  private static final Set<String> RESTING = Set.of("idle", "waiting", "closed");

  private final Jdbi jdbi;
  private final List<Long> millis = new ArrayList<>();

  Takeovers(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** Waits until a process runs sessions and returns them with their epochs. */
  Map<UUID, Long> drivenBy(long pid) {
    var until = System.nanoTime() + RUN_LIMIT.toNanos();
    var driven = drivenNowBy(pid);
    while (driven.isEmpty() && System.nanoTime() < until) {
      LockSupport.parkNanos(POLL_NANOS);
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

  /** The sessions of a process that have no running tool call, with their epochs. */
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
   * Waits until each session is claimed again and records how long that takes. A session that comes
   * to rest needs no claim and is not counted.
   *
   * @param from the time of the interruption, as {@link System#nanoTime}
   */
  void await(Map<UUID, Long> driven, long from) {
    var left = new HashMap<>(driven);
    while (!left.isEmpty() && System.nanoTime() - from < LIMIT.toNanos()) {
      for (var now : observe(left)) {
        var before = Objects.requireNonNull(left.get(now.session()));
        var claimed = now.epoch() > before && now.state().equals("running");
        if (claimed || now.epoch() >= before + 2) {
          left.remove(now.session());
          millis.add((System.nanoTime() - from) / 1_000_000);
        } else if (RESTING.contains(now.state())) {
          left.remove(now.session());
        }
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    left.forEach((_, _) -> millis.add(LIMIT.toMillis()));
  }

  /** Records the time since {@code from}. */
  void note(long from) {
    millis.add((System.nanoTime() - from) / 1_000_000);
  }

  private record Observed(UUID session, long epoch, String state) {}

  private List<Observed> observe(Map<UUID, Long> sessions) {
    try {
      return jdbi.withHandle(handle ->
          handle
              .createQuery("select id, epoch, state from session where id = any(:ids)")
              .bindArray("ids", UUID.class, List.copyOf(sessions.keySet()))
              .map((row, _) ->
                  new Observed(
                      row.getObject("id", UUID.class),
                      row.getLong("epoch"),
                      row.getString("state")))
              .list());
    } catch (RuntimeException databaseUnavailable) {
      return List.of();
    }
  }

  List<Long> millis() {
    return List.copyOf(millis);
  }
}
