package dev.errand.hook;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.jboss.logging.Logger;

/** Metrics of calls of hooks, and the log of dropped events. */
@Singleton
class HookMetrics {

  private static final Logger LOG = Logger.getLogger(HookMetrics.class);

  private final MeterRegistry registry;

  HookMetrics(MeterRegistry registry) {
    this.registry = registry;
  }

  /**
   * @param outcome {@code allowed}, {@code denied}, {@code delivered}, {@code failed}, {@code late}
   */
  void called(Hook hook, HookEvent event, String outcome, Duration took) {
    count(hook.name(), event.word(), outcome);
    Timer.builder("errand.hook.call")
        .tag("hook", hook.name())
        .tag("event", event.word())
        .register(registry)
        .record(took);
  }

  /** Counts an event that will not be sent again although the hook never accepted it. */
  void dropped(String hook, String event) {
    LOG.errorf("An event %s is dropped: the hook %s never accepted it", event, hook);
    count(hook, event, "dropped");
  }

  private void count(String hook, String event, String outcome) {
    registry
        .counter("errand.hook.calls", "hook", hook, "event", event, "outcome", outcome)
        .increment();
  }
}
