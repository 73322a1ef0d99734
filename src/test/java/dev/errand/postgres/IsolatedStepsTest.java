package dev.errand.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.conversation.SessionId;
import dev.errand.outbox.Delivery;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
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

  /** A row that fails is logged. */
  @Test
  void deliveryIsShownWithoutItsPayload() {
    var id = UUID.randomUUID();
    var row =
        new Delivery(id, SessionId.next(), "session", "a result", Instant.EPOCH, 0, null, null);

    assertThat(row).hasToString("delivery " + id);
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
