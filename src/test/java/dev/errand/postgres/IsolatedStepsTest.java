package dev.errand.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class IsolatedStepsTest {

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final IsolatedSteps steps = new IsolatedSteps(registry);

  @Test
  void sweepContinuesAfterARowThatFails() {
    var handled = new ArrayList<String>();

    steps.forEachIsolated(
        "clean_up",
        List.of("one", "broken", "two"),
        row -> {
          if (row.equals("broken")) {
            throw new IllegalStateException("broken row");
          }
          handled.add(row);
        });

    assertThat(handled).containsExactly("one", "two");
    assertThat(failures("clean_up")).isEqualTo(1);
  }

  @Test
  void rowThatFailsDoesNotCount() {
    var count =
        steps.countIsolated(
            "retry",
            List.of(1, 2, 3, 4),
            row -> {
              if (row == 4) {
                throw new IllegalStateException("broken row");
              }
              return row % 2 == 1;
            });

    assertThat(count).isEqualTo(2);
  }

  @Test
  void counterStartsAtZeroWithTheFirstSweep() {
    steps.forEachIsolated("admit", List.of(), row -> {});

    assertThat(failures("admit")).isZero();
  }

  private double failures(String step) {
    return registry.get("errand.step.failures").tag("step", step).counter().count();
  }
}
