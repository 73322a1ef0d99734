package dev.errand.session;

import dev.errand.conversation.SessionId;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Jdbi;

/** Who drives which sessions, and which wait for a worker, as the database sees it. */
@ApplicationScoped
public class LiveSessions {

  private final Jdbi jdbi;

  LiveSessions(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * A session that some node drives.
   *
   * @param quiet it was not written to for 5 s
   * @param job the job that brought it to the node
   */
  public record Driven(Lease lease, boolean quiet, UUID job) {}

  /**
   * The leases under which a node drives sessions, as the database sees it, with how long nothing
   * was saved.
   */
  public List<Driven> drivenBy(UUID node) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                """
                select id, epoch, updated_at < now() - interval '5 seconds' as quiet, job_id
                from session where state = 'running' and node_id = :node
                """)
            .bind("node", node)
            .map((row, _) ->
                new Driven(
                    new Lease(new SessionId(row.getObject("id", UUID.class)), row.getLong("epoch")),
                    row.getBoolean("quiet"),
                    row.getObject("job_id", UUID.class)))
            .list());
  }

  /**
   * Nodes beside {@code me} that drive sessions and have no row. Each was taken for dead while it
   * lived, when the database had been away for longer than a lease, claimed something, and died
   * before it could say that it lives: that takes it 4 s.
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

  /** Which of these leases are good no more. */
  public Set<Lease> lost(Set<Lease> leases) {
    var driven =
        jdbi.withHandle(handle ->
            handle
                .createQuery(
                    "select id, epoch from session where id = any(:ids) and state = 'running'")
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

  /** A session that waits for a worker, and the job that should bring it one. */
  public record Queued(SessionId session, UUID job) {}

  /**
   * The sessions that have waited for {@code atLeast}, the longest first, at most {@code limit}.
   */
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
