package dev.errand.ops;

import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import org.jboss.logging.Logger;

/** Whether all that was accepted is accounted for, added up every 30 s. */
@ApplicationScoped
class TaskAccountingGauge {

  private static final Logger LOG = Logger.getLogger(TaskAccountingGauge.class);

  private final TaskAccounting conservation;
  private final MeterRegistry registry;
  private volatile boolean broken;

  TaskAccountingGauge(TaskAccounting conservation, MeterRegistry registry) {
    this.conservation = conservation;
    this.registry = registry;
  }

  void register(@Observes StartupEvent start) {
    registry.gauge("errand.conservation.broken", this, gauge -> gauge.broken ? 1 : 0);
  }

  @Scheduled(every = "30s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  void add() {
    var balance = conservation.balance();
    if (!balance.holds() && !broken) {
      LOG.errorf("Tasks or deliveries were lost or are there twice: %s", balance);
    }
    broken = !balance.holds();
  }
}
