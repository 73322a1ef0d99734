package dev.errand.session;

import dev.errand.conversation.SessionId;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Jdbi;

/**
 * Which nodes drive which sessions, and which sessions wait for a worker, according to the
 * database.
 */
@ApplicationScoped
public class LiveSessions {

  private static final String LEASES =
      """
      select id, epoch from session where id = any(:ids) and state = 'running'
      union all
      select session_id, epoch from tool_call where session_id = any(:ids) and node_id is not null
      """;

  /** Sessions that other nodes than {@code :node} drive. */
  public static final String SOME_OF_OTHERS =
      "exists (select 1 from session where state = 'running' and node_id <> :node)";

  /** Sessions that {@code :node} drives. */
  public static final String SOME_OWN =
      "exists (select 1 from session where state = 'running' and node_id = :node)";

  private final Jdbi jdbi;

  LiveSessions(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * A session that a node drives.
   *
   * @param quiet whether it was not written to for 5 s
   */
  public record Driven(Lease lease, boolean quiet) {}

  /** The sessions that a node drives. */
  public List<Driven> drivenBy(UUID node) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                """
                select id, epoch, updated_at < now() - interval '5 seconds' as quiet
                from session where state = 'running' and node_id = :node
                """)
            .bind("node", node)
            .map((row, _) ->
                new Driven(
                    new Lease(new SessionId(row.getObject("id", UUID.class)), row.getLong("epoch")),
                    row.getBoolean("quiet")))
            .list());
  }

  /**
   * Other nodes than {@code me} that drive sessions and have no row. Such a node was considered
   * dead while it was alive, because the database was unavailable for longer than a lease; it then
   * claimed a session and died before it could renew its row, which takes up to 4 s.
   */
  public List<UUID> driversWithoutRow(UUID me) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                """
                select distinct node_id from session
                where state = 'running' and node_id <> :me
                  and updated_at < clock_timestamp() - interval '6 seconds'
                  and not exists (select 1 from node where node.id = session.node_id)
                """)
            .bind("me", me)
            .mapTo(UUID.class)
            .list());
  }

  /** Returns the leases that are no longer valid. */
  public Set<Lease> lost(Set<Lease> leases) {
    var driven =
        jdbi.withHandle(handle ->
            handle
                .createQuery(LEASES)
                .bindArray(
                    "ids",
                    UUID.class,
                    leases.stream().map(lease -> lease.session().value()).toList())
                .map((row, _) ->
                    new Lease(new SessionId(row.getObject("id", UUID.class)), row.getLong("epoch")))
                .collect(Collectors.toUnmodifiableSet()));
    return leases.stream()
        .filter(lease -> !driven.contains(lease))
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Whether sessions have waited for {@code atLeast}. */
  public static String someQueuedFor(Duration atLeast) {
    return "exists (select 1 from session where state = 'queued' and queued_at < now() - interval '%d milliseconds')"
        .formatted(atLeast.toMillis());
  }

  /** A session that waits for a worker, and the job that is to bring one. */
  public record Queued(SessionId session, UUID job) {}

  /** The sessions that have waited for {@code atLeast}, the longest wait first. */
  public List<Queued> queuedFor(Duration atLeast, int limit) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                """
                select id, job_id from session
                where state = 'queued' and queued_at < clock_timestamp() - :ms * interval '1 millisecond'
                order by queued_at limit :limit
                """)
            .bind("ms", atLeast.toMillis())
            .bind("limit", limit)
            .map((row, _) ->
                new Queued(
                    new SessionId(row.getObject("id", UUID.class)),
                    row.getObject("job_id", UUID.class)))
            .list());
  }
}
