package dev.errand.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Collections;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BackoffTest {

  private final Backoff backoff = new Backoff(Duration.ofSeconds(2), Duration.ofSeconds(60));

  @ParameterizedTest
  @CsvSource({"1, 2000", "2, 4000", "3, 8000", "5, 32000", "6, 60000", "1000, 60000"})
  void delayIsRandomBelowADoublingBound(int failed, long ceiling) {
    var drawn = IntStream.range(0, 1000).mapToObj(_ -> backoff.after(failed).toMillis()).toList();

    assertThat(drawn).allMatch(millis -> millis >= 0 && millis <= ceiling);
    assertThat(Collections.max(drawn)).isGreaterThan(ceiling * 9 / 10);
    assertThat(Collections.min(drawn)).isLessThan(ceiling / 10);
  }

  @Test
  void zeroDelayStaysZero() {
    assertThat(new Backoff(Duration.ZERO, Duration.ofSeconds(1)).after(3)).isZero();
  }
}
