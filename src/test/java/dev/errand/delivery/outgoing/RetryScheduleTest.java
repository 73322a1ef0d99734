package dev.errand.delivery.outgoing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.delivery.outgoing.WebhookOutcomes.RetrySchedule;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class RetryScheduleTest {

  private static final List<Duration> DELAYS =
      List.of(Duration.ZERO, Duration.ofSeconds(5), Duration.ofMinutes(5));

  @Test
  void delayVariesByAFifthUpAndDown() {
    assertThat(new RetrySchedule(DELAYS, () -> 0).after(1)).contains(Duration.ofSeconds(4));
    assertThat(new RetrySchedule(DELAYS, () -> 0.5).after(1)).contains(Duration.ofSeconds(5));
    assertThat(new RetrySchedule(DELAYS, () -> 1).after(1)).contains(Duration.ofSeconds(6));
  }

  @Test
  void scheduleHasAsManyAttemptsAsEntries() {
    var schedule = new RetrySchedule(DELAYS, () -> 0.5);

    assertThat(schedule.after(2)).contains(Duration.ofMinutes(5));
    assertThat(schedule.after(3)).isEmpty();
  }
}
