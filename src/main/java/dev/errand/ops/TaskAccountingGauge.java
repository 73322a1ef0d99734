package dev.errand.ops;

import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import org.jboss.logging.Logger;

/** Reports whether the accounting of tasks holds, checked every 30 s if rows have changed. */
@ApplicationScoped
class TaskAccountingGauge {

  private static final Logger LOG = Logger.getLogger(TaskAccountingGauge.class);

  private final TaskAccounting accounting;
  private final TaskStats stats;
  private final MeterRegistry registry;
  private volatile boolean broken;
  private volatile long changes = -1;

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
    var now = stats.changes();
    if (now != changes) {
      check();
      changes = now;
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
