package dev.errand.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import org.jdbi.v3.core.Jdbi;
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
