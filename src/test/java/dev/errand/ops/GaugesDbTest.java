package dev.errand.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.junit.jupiter.api.Test;

@QuarkusTest
class GaugesDbTest implements Story {

  @Inject TaskKit kit;
  @Inject Gauges gauges;
  @Inject MeterRegistry registry;
  @Inject Jdbi jdbi;

  @Test
  void gaugesReportTheRowsOfTheDatabase() {
    var parent = kit.session(model -> model.says("I know."));
    kit.child("Look.", model -> model.says("Seen."));
    kit.submit(parent, "Look.");
    kit.awaitRest(parent);

    await("work that earlier tests left has ended")
        .untilAsserted(() -> {
          gauges.countAll();
          gauges.countLive();
          assertGaugesReportTheRows();
        });
  }

  /** As when the rows are too many to be counted within the time-out. */
  @Test
  void liveRowsAndDeadDeliveriesAreCountedAlsoWhenAllRowsCannotBe() {
    gauges.countAll();
    kit.tamper("alter view state_count_view rename to hidden_view");
    try {
      assertThatThrownBy(gauges::countAll).isInstanceOf(JdbiException.class);
      gauges.countLive();

      assertThat(value("errand.database.up")).isEqualTo(1);
      assertThat(state("errand.tasks", "pending")).isNotNegative();
      assertThat(state("errand.tasks", "completed")).isNotNegative();
      assertThat(state("errand.outbox", "dead")).isEqualTo(dead());
    } finally {
      kit.tamper("alter view hidden_view rename to state_count_view");
    }
  }

  private double dead() {
    return kit.row("select count(*) from outbox where state = 'dead'", Double.class);
  }

  private void assertGaugesReportTheRows() {
    var completed =
        jdbi.withHandle(handle ->
            handle
                .createQuery("select count(*) from task where state = 'completed'")
                .mapTo(Double.class)
                .one());
    assertThat(state("errand.tasks", "completed")).isEqualTo(completed).isPositive();
    assertThat(state("errand.tasks", "running")).isZero();
    assertThat(state("errand.outbox", "pending")).isZero();
    assertThat(state("errand.outbox", "dead")).isEqualTo(dead());
    assertThat(value("errand.tasks.waiting")).isZero();
    assertThat(value("errand.notices.held")).isZero();
    assertThat(value("errand.nodes.live")).isPositive();
    assertThat(value("errand.sessions.oldest.queued.seconds")).isZero();
    assertThat(value("errand.database.up")).isEqualTo(1);
    assertThat(registry.get("errand.build.info").gauge().value()).isEqualTo(1);
  }

  private double state(String name, String state) {
    return registry.get(name).tag("state", state).gauge().value();
  }

  private double value(String name) {
    return registry.get(name).gauge().value();
  }
}
