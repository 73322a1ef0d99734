package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quarkus.scheduler.Scheduler;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Duration;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.Test;

/** Scheduled methods run in a service that has started, and not before. */
@QuarkusTest
class SchedulerStartDbTest {

  @Inject Scheduler scheduler;

  @Inject
  @ConfigProperty(name = "quarkus.scheduler.start-mode")
  String startMode;

  @Test
  void schedulerIsHaltedUntilTheServiceIsListening() {
    assertThat(startMode).isEqualTo("halted");
    await().atMost(Duration.ofMinutes(1)).until(scheduler::isRunning);
  }
}
