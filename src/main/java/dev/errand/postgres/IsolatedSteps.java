package dev.errand.postgres;

import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jboss.logging.Logger;

/**
 * The steps of sweeps, one row at a time. A row that fails is logged and counted, and the sweep
 * continues with the next one; the next sweep tries the row again.
 */
@Singleton
public class IsolatedSteps {

  private static final Logger LOG = Logger.getLogger(IsolatedSteps.class);

  private final MeterRegistry registry;

  IsolatedSteps(MeterRegistry registry) {
    this.registry = registry;
  }

  /**
   * Calls {@code action} for each row.
   *
   * @param step the name of the step in the log and in the counter {@code errand.step.failures}
   */
  public <T> void forEachIsolated(String step, List<T> rows, Consumer<T> action) {
    var ignored =
        countIsolated(
            step,
            rows,
            row -> {
              action.accept(row);
              return true;
            });
  }

  /**
   * Calls {@code action} for each row.
   *
   * @return for how many rows {@code action} returned true
   */
  public <T> int countIsolated(String step, List<T> rows, Predicate<T> action) {
    var failures = registry.counter("errand.step.failures", "step", step);
    var count = 0;
    for (var row : rows) {
      try {
        count += action.test(row) ? 1 : 0;
      } catch (RuntimeException fault) {
        LOG.warnf(fault, "Step %s failed for %s; the next sweep tries it again", step, row);
        failures.increment();
      }
    }
    return count;
  }
}
