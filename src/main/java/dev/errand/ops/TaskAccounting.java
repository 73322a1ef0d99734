package dev.errand.ops;

import dev.errand.postgres.LongReads;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Checks that nothing was lost: every accepted task is live or has ended, and every ended task has
 * exactly one delivery in the outbox. One statement reads all numbers, so that they are of the same
 * moment. A gauge reports the result.
 */
@Singleton
public class TaskAccounting {

  private static final Logger LOG = Logger.getLogger(TaskAccounting.class);

  /** The trees count accepted tasks independently of the task rows. */
  private static final String BALANCE =
      """
      select counted.accepted, tasks.*, deliveries.*
      from (select coalesce(sum(delegations - forgotten), 0) as accepted from tree
            where :tenant::text is null
              or exists (select 1 from session where session.id = tree.root_id and session.tenant = :tenant)) counted,
        (select count(*) filter (where ended_at is null) as live, count(ended_at) as ended from task
         where :tenant::text is null or tenant = :tenant) tasks,
        (select count(*) filter (where state = 'delivered') as delivered,
                count(*) filter (where state = 'consumed') as consumed,
                count(*) filter (where state = 'suppressed') as suppressed,
                count(*) filter (where state = 'dead') as dead,
                count(*) filter (where state = 'pending') as pending
         from outbox where task_id is not null and (:tenant::text is null or tenant = :tenant)) deliveries
      """;

  private final Jdbi jdbi;
  private final LongReads reads;
  private final TaskStats stats;
  private final MeterRegistry registry;
  private final Rest rest = new Rest();
  private volatile boolean broken;
  private volatile long changes = -1;

  TaskAccounting(Jdbi jdbi, LongReads reads, TaskStats stats, MeterRegistry registry) {
    this.jdbi = jdbi;
    this.reads = reads;
    this.stats = stats;
    this.registry = registry;
  }

  /** The numbers of tasks, without deleted ones, and of their deliveries. */
  public record Balance(
      long accepted,
      long live,
      long ended,
      long delivered,
      long consumed,
      long suppressed,
      long dead,
      long pending) {

    /** Returns false when a task or a delivery is missing or exists twice. */
    public boolean addsUp() {
      return accepted == ended + live
          && ended == delivered + consumed + suppressed + dead + pending;
    }
  }

  /** Returns the current numbers. Reads all rows of tasks and deliveries. */
  public Balance balance() {
    return balance(null);
  }

  /**
   * Returns the current numbers of one tenant; null for all tenants.
   *
   * @param tenant null for all
   */
  public Balance balance(@Nullable String tenant) {
    return jdbi.withHandle(handle -> balance(handle, tenant));
  }

  private static Balance balance(Handle handle, @Nullable String tenant) {
    return handle
        .createQuery(BALANCE)
        .bind("tenant", tenant)
        .map((row, _) ->
            new Balance(
                row.getLong("accepted"),
                row.getLong("live"),
                row.getLong("ended"),
                row.getLong("delivered"),
                row.getLong("consumed"),
                row.getLong("suppressed"),
                row.getLong("dead"),
                row.getLong("pending")))
        .one();
  }

  void register(@Observes StartupEvent start) {
    registry.gauge("errand.conservation.broken", this, gauge -> gauge.broken ? 1 : 0);
  }

  /**
   * Checks every 30 s if rows have changed; with very many tasks and deliveries less often, so that
   * the checks take a small part of the time.
   */
  @Scheduled(every = "30s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  void checkChanged() {
    var now = stats.changes();
    if (now != changes) {
      rest.whenOver(() -> {
        check();
        changes = now;
      });
    }
  }

  void check() {
    var balance = reads.read(handle -> balance(handle, null));
    if (!balance.addsUp() && !broken) {
      LOG.errorf("Tasks or deliveries are missing or exist twice: %s", balance);
    }
    broken = !balance.addsUp();
  }
}
