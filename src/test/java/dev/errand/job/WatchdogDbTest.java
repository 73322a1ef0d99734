package dev.errand.job;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.kit.Gate;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import org.junit.jupiter.api.Test;

/** The watchdog restarts JobRunr (architecture, rule 7). */
@QuarkusTest
class WatchdogDbTest implements Story {

  @Inject TaskKit kit;
  @Inject JobRunrServer jobRunr;
  @Inject Watchdog watchdog;
  @Inject MeterRegistry registry;

  /** The watchdog may restart it while it stops; it counts only what had stopped. */
  @Test
  void jobRunrThatStoppedIsRestartedAndRunsItsJobs() {
    var before = restarts();
    jobRunr.stop(new ShutdownEvent());
    given().get("/q/health/live").then().statusCode(200);

    var session = kit.session(model -> model.says("here I am"));
    kit.say(session, "are you there?");

    kit.awaitRest(session);
    assertThat(kit.outline(session)).containsExactly("user", "assistant");
    assertThat(restarts()).isGreaterThan(before);
    await().untilAsserted(() -> assertThat(watchdog.stoppedFor()).isZero());
    given().get("/q/health/ready").then().statusCode(200);
  }

  /** Otherwise a short outage at a heartbeat would cost all calls that the node waits for. */
  @Test
  void runContinuesWhenJobRunrStopsByItself() {
    var gate = new Gate();
    var session = kit.session(model -> model.at(gate).says("here I am"));
    kit.say(session, "are you there?");
    gate.awaitArrivals(1);
    var before = restarts();

    jobRunr.stop(new ShutdownEvent());
    await().until(() -> restarts() > before && jobRunr.isProcessing());
    assertThat(jobRunr.occupiedWorkers()).isPositive();
    gate.open();
    kit.awaitRest(session);

    assertThat(kit.modelEvents(session)).isEqualTo("started 1, ended 1");
    assertThat(kit.outline(session)).containsExactly("user", "assistant");
    assertThat(kit.requests(session)).hasSize(1);
  }

  private double restarts() {
    return registry.get("errand.jobrunr.restarts").counter().count();
  }
}
