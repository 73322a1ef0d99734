package dev.errand.ops;

import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import org.jboss.logging.Logger;

/**
 * Reports whether the accounting of tasks holds, checked every 30 s if rows have changed. A check
 * reads all tasks and deliveries; with very many it is made less often, so that it takes a small
 * part of the time.
 */
@ApplicationScoped
class TaskAccountingGauge {

  private static final Logger LOG = Logger.getLogger(TaskAccountingGauge.class);

  /** The time between two checks is at least as many times as long as a check. */
  private static final int REST = 300;

  private final TaskAccounting accounting;
  private final TaskStats stats;
  private final MeterRegistry registry;
  private volatile boolean broken;
  private volatile long changes = -1;
  private volatile long dueAt = System.nanoTime();

  TaskAccountingGauge(TaskAccounting accounting, TaskStats stats, MeterRegistry registry) {
    this.accounting = accounting;
    this.stats = stats;
    this.registry = registry;
  }

  void register(@Observes StartupEvent start) {
    registry.gauge("errand.conservation.broken", this, gauge -> gauge.broken ? 1 : 0);
  }

  @Scheduled(every = "30s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  void checkChanged() {
    var startedAt = System.nanoTime();
    var now = stats.changes();
    if (now != changes && startedAt - dueAt >= 0) {
      check();
      changes = now;
      dueAt = System.nanoTime() + REST * (System.nanoTime() - startedAt);
    }
  }

  void check() {
    var balance = accounting.balance();
    if (!balance.holds() && !broken) {
      LOG.errorf("Tasks or deliveries are missing or exist twice: %s", balance);
    }
    broken = !balance.holds();
  }
}
