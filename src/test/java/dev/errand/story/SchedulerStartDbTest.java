package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quarkus.runtime.StartupEvent;
import io.quarkus.scheduler.Scheduler;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Scheduled methods run in a service that has started, and not before. */
@QuarkusTest
class SchedulerStartDbTest {

  @Inject Scheduler scheduler;
  @Inject LastOfTheStart lastOfTheStart;

  /** Observes the start after everything that could stop it; the port is opened later. */
  @ApplicationScoped
  static class LastOfTheStart {

    private volatile boolean reached;
    private volatile boolean schedulerWasRunning;

    void reached(@Observes @Priority(Integer.MAX_VALUE) StartupEvent start, Scheduler scheduler) {
      schedulerWasRunning = scheduler.isRunning();
      reached = true;
    }

    boolean isReached() {
      return reached;
    }

    boolean schedulerWasRunning() {
      return schedulerWasRunning;
    }
  }

  @Test
  void schedulerIsHaltedUntilTheServiceIsListening() {
    assertThat(lastOfTheStart.isReached()).isTrue();
    assertThat(lastOfTheStart.schedulerWasRunning()).isFalse();
    await().atMost(Duration.ofMinutes(1)).until(scheduler::isRunning);
  }
}
