package dev.errand.session;

import dev.errand.conversation.SessionId;
import jakarta.inject.Singleton;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Jdbi;

/** Finds the sessions that nodes drive, and those that wait for a worker, in the database. */
@Singleton
public class LiveSessions {

  private static final String LEASES =
      """
      select id as session, epoch from session where id = any((select :ids)::uuid[]) and state = 'running'
      union all
      select session_id, epoch from tool_call where session_id = any((select :ids)::uuid[]) and node_id is not null
      """;

  /** Sessions that other nodes than {@code :node} drive. */
  public static final String SOME_OF_OTHERS =
      "exists (select 1 from session where state = 'running' and node_id <> :node)";

  /** Sessions that {@code :node} drives. */
  public static final String SOME_OWN =
      "exists (select 1 from session where state = 'running' and node_id = :node)";

  /** Sessions that a node drives or has to drive. */
  public static final String SOME_LIVE =
      """
      exists (select 1 from session where state = 'queued' and queued_at is not null)
      or exists (select 1 from session where state = 'running' and node_id is not null)
      """;

  /** Sessions that have waited for a worker for longer than a hint takes. */
  public static final String SOME_QUEUED =
      "exists (select 1 from session where state = 'queued' and queued_at < now() - interval '500 milliseconds')";

  /** Sessions that have waited for a worker for so long that their jobs may be lost. */
  public static final String SOME_QUEUED_LONG =
      "exists (select 1 from session where state = 'queued' and queued_at < now() - interval '15 seconds')";

  private static final String LOAD =
      """
      select null as tenant, coalesce(sum(slots), 0) as number from node where lease_until > clock_timestamp()
      union all
      select tenant, count(*) from (
        select tenant from session where state = 'queued' and queued_at is not null
        union all
        select tenant from session where state = 'running' and node_id is not null) live
      group by tenant
      """;

  private final Jdbi jdbi;

  LiveSessions(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * The load of the live nodes.
   *
   * @param slots runs that all live nodes can drive at a time
   * @param byTenant queued and running sessions
   */
  public record ClusterLoad(int slots, Map<String, Integer> byTenant) {}

  public ClusterLoad load() {
    var byTenant = new HashMap<String, Integer>();
    var slots =
        jdbi.withHandle(handle ->
            handle.createQuery(LOAD).map((row, _) -> read(row, byTenant)).list().stream()
                .mapToInt(Integer::intValue)
                .sum());
    return new ClusterLoad(slots, byTenant);
  }

  /** Returns the slots of the row; 0 when it has the sessions of a tenant. */
  private static int read(ResultSet row, Map<String, Integer> byTenant) throws SQLException {
    var tenant = row.getString("tenant");
    if (tenant == null) {
      return row.getInt("number");
    }
    byTenant.put(tenant, row.getInt("number"));
    return 0;
  }

  /**
   * A session that a node drives.
   *
   * @param quiet whether it was not written to for 5 s
   */
  public record DrivenSession(Lease lease, boolean quiet) {}

  /** Returns the sessions below this one that a worker drives or will drive. */
  public List<SessionId> drivenBelow(SessionId session) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                """
                with recursive below as (
                  select id, state from session where parent_id = :id
                  union all
                  select child.id, child.state from session child join below on child.parent_id = below.id)
                select id from below where state in ('queued', 'running', 'waiting')
                """)
            .bind("id", session)
            .mapTo(SessionId.class)
            .list());
  }

  /** Returns the sessions that a node drives. */
  public List<DrivenSession> drivenBy(UUID node) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                """
                select id, epoch, updated_at < now() - interval '5 seconds' as quiet
                from session where state = 'running' and node_id = :node
                """)
            .bind("node", node)
            .map((row, _) ->
                new DrivenSession(
                    new Lease(new SessionId(row.getObject("id", UUID.class)), row.getLong("epoch")),
                    row.getBoolean("quiet")))
            .list());
  }

  /**
   * Returns the nodes other than {@code me} that drive sessions and have no row. Such a node was
   * considered dead while it was alive, because the database was unavailable for longer than a
   * lease; it then claimed a session and died before it could renew its row, which takes up to 4 s.
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
                .bindArray("ids", SessionId.class, leases.stream().map(Lease::session).toList())
                .mapTo(Lease.class)
                .collect(Collectors.toUnmodifiableSet()));
    return leases.stream()
        .filter(lease -> !driven.contains(lease))
        .collect(Collectors.toUnmodifiableSet());
  }

  /** A session that waits for a worker, and the job that is to bring one. */
  public record QueuedSession(SessionId session, UUID job) {}

  /** Returns the sessions that have waited for {@code atLeast}, the longest wait first. */
  public List<QueuedSession> queuedFor(Duration atLeast, int limit) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                """
                select id as session, job_id as job from session
                where state = 'queued' and queued_at < statement_timestamp() - :ms * interval '1 millisecond'
                order by queued_at limit :limit
                """)
            .bind("ms", atLeast.toMillis())
            .bind("limit", limit)
            .mapTo(QueuedSession.class)
            .list());
  }
}
