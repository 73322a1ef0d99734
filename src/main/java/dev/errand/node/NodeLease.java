package dev.errand.node;

import io.quarkus.runtime.ShutdownDelayInitiatedEvent;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.scheduler.Scheduled;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jdbi.v3.core.Jdbi;

/**
 * The node's row: renewed every 4 s and valid for 20 s, independent of the number of sessions that
 * the node runs. It says how many it can run (architecture, rule 5).
 */
@Singleton
public class NodeLease {

  private static final String RENEW =
      """
      insert into node (id, name, slots, lease_until)
      values (:id, :name, :slots, clock_timestamp() + interval '20 seconds')
      on conflict (id) do update set slots = excluded.slots, lease_until = excluded.lease_until
      """;

  /**
   * A live node has its advisory lock soon after its start. A restart of the database and a
   * failover to another server free the locks of live nodes too, so locks count only one lease time
   * after the start of the server, and after this node has connected again to get its own lock.
   */
  private static final String SUSPECTS =
      """
      select id, lease_until < clock_timestamp() as expired from node
      where id <> :me and (
        lease_until < clock_timestamp()
        or (started_at < clock_timestamp() - interval '5 seconds'
          and pg_postmaster_start_time() < clock_timestamp() - interval '20 seconds'
          and exists (
            select 1 from pg_stat_activity
            where pid in (
                select pid from pg_locks
                where locktype = 'advisory' and granted and objsubid = 1
                  and database = (select oid from pg_database where datname = current_database())
                  and (classid::bigint << 32 | objid::bigint) = ('x' || replace(left(:me::text, 18), '-', ''))::bit(64)::bigint)
              and backend_start < greatest(
                clock_timestamp() - interval '20 seconds',
                (select started_at + interval '5 seconds' from node where id = :me)))
          and not exists (
            select 1 from pg_locks
            where locktype = 'advisory' and granted and objsubid = 1
              and database = (select oid from pg_database where datname = current_database())
              and (classid::bigint << 32 | objid::bigint) = ('x' || replace(left(id::text, 18), '-', ''))::bit(64)::bigint)))
      """;

  private static final String EXPIRED =
      "select id, true as expired from node where lease_until < clock_timestamp() and id <> :me";

  private static final String OTHERS = "select id, true as expired from node where id <> :me";

  public static final String SOME_OTHER = "exists (select 1 from node where id <> :node)";

  /** Shorter than the lease is valid, because answers take time and clocks differ. */
  private static final Duration TRUSTED_FOR = Duration.ofSeconds(16);

  private final Jdbi jdbi;
  private final Node node;
  private final boolean embedded;
  private final FreeLocks freeLocks = new FreeLocks();
  private volatile int slots;
  private volatile long trustedFrom = System.nanoTime();

  /**
   * @param slots runs that this node drives at a time
   * @param embedded the database is embedded in this process, so that no other node can use it
   */
  NodeLease(
      Jdbi jdbi,
      Node node,
      @ConfigProperty(name = "errand.max-concurrent-runs") int slots,
      @ConfigProperty(name = "errand.db.embedded", defaultValue = "false") boolean embedded) {
    this.jdbi = jdbi;
    this.node = node;
    this.slots = slots;
    this.embedded = embedded;
  }

  void begin(@Observes @Priority(10) StartupEvent start) {
    renew();
  }

  /** Takes no more runs, because this node stops; its next renewal tells the others. */
  void drain(@Observes ShutdownDelayInitiatedEvent stop) {
    slots = 0;
  }

  @Scheduled(every = "4s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  void renew() {
    var from = System.nanoTime();
    jdbi.useHandle(handle ->
        handle
            .createUpdate(RENEW)
            .bind("id", node.id())
            .bind("name", node.name())
            .bind("slots", slots)
            .execute());
    trustedFrom = from;
  }

  /**
   * Returns whether this node may still assume that it owns its sessions. Measured by the monotonic
   * clock from the start of the last renewal; the clock continues while the process is suspended.
   */
  public boolean isTrusted() {
    return System.nanoTime() - trustedFrom < TRUSTED_FOR.toNanos();
  }

  /**
   * A node that may be dead.
   *
   * @param expired whether it is: its lease has expired. Otherwise its lock is free
   */
  private record Suspect(UUID id, boolean expired) {}

  /** Returns the dead nodes: their lease has expired, or their lock has been free for 3 s. */
  public List<UUID> dead() {
    var suspects = suspects(SUSPECTS);
    var free = freeLocks.look(suspects.stream().map(Suspect::id).toList(), System.nanoTime());
    return suspects.stream()
        .filter(suspect -> suspect.expired() || free.contains(suspect.id()))
        .map(Suspect::id)
        .toList();
  }

  /** Returns the nodes that are dead when this one starts: with an embedded database, all. */
  public List<UUID> deadAtStart() {
    return suspects(embedded ? OTHERS : EXPIRED).stream().map(Suspect::id).toList();
  }

  private List<Suspect> suspects(String sql) {
    return jdbi.withHandle(
        handle -> handle.createQuery(sql).bind("me", node.id()).mapTo(Suspect.class).list());
  }

  /** Deletes a node's row. Idempotent. */
  public void forget(UUID id) {
    jdbi.useHandle(handle -> handle.execute("delete from node where id = ?", id));
  }
}
