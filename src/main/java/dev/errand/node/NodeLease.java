package dev.errand.node;

import io.quarkus.runtime.StartupEvent;
import io.quarkus.scheduler.Scheduled;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.List;
import java.util.UUID;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jdbi.v3.core.Jdbi;

/**
 * The node's row: renewed every 4 s and valid for 20 s, however many sessions the node drives
 * (architecture, rule 5).
 */
@ApplicationScoped
public class NodeLease {

  private static final String RENEW =
      """
      insert into node (id, name, lease_until)
      values (:id, :name, clock_timestamp() + interval '20 seconds')
      on conflict (id) do update set lease_until = excluded.lease_until
      """;

  private static final String EXPIRED =
      "select id from node where lease_until < clock_timestamp() and id <> :me";

  /**
   * A living node holds its advisory lock soon after its start; but a restart of the database cuts
   * the locks of the living too, so for one lease after it a free lock says nothing – unless nobody
   * else can be there.
   */
  private static final String GONE =
      """
      select id from node
      where id <> :me
        and (:alone
             or lease_until < clock_timestamp()
             or (started_at < clock_timestamp() - interval '5 seconds'
                 and pg_postmaster_start_time() < clock_timestamp() - interval '20 seconds'
                 and pg_try_advisory_xact_lock(
                   ('x' || replace(left(id::text, 18), '-', ''))::bit(64)::bigint)))
      """;

  private final Jdbi jdbi;
  private final Node node;
  private final boolean alone;

  /**
   * @param alone the database is embedded in this process: no other node can use it
   */
  NodeLease(
      Jdbi jdbi,
      Node node,
      @ConfigProperty(name = "errand.db.embedded", defaultValue = "false") boolean alone) {
    this.jdbi = jdbi;
    this.node = node;
    this.alone = alone;
  }

  void begin(@Observes @Priority(10) StartupEvent start) {
    renew();
  }

  @Scheduled(every = "4s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  void renew() {
    jdbi.useHandle(handle ->
        handle.createUpdate(RENEW).bind("id", node.id()).bind("name", node.name()).execute());
  }

  /** Nodes whose lease ran out. */
  public List<UUID> expired() {
    return jdbi.withHandle(
        handle -> handle.createQuery(EXPIRED).bind("me", node.id()).mapTo(UUID.class).list());
  }

  /** Nodes that are gone for sure, whatever their lease says; asked at start-up. */
  public List<UUID> gone() {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(GONE)
            .bind("me", node.id())
            .bind("alone", alone)
            .mapTo(UUID.class)
            .list());
  }

  /** Removes a node's row. Twice is once. */
  public void forget(UUID id) {
    jdbi.useHandle(handle -> handle.execute("delete from node where id = ?", id));
  }
}
