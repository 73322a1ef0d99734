package dev.errand.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class CostlyCountTest {

  private long now;
  private int counted;
  private Duration cost = Duration.ZERO;
  private final CostlyCount<Integer> count = new CostlyCount<>(this::count, () -> now);

  private int count() {
    pass(cost);
    return ++counted;
  }

  private void pass(Duration time) {
    now += time.toNanos();
  }

  @Test
  void whatWasQuickIsCountedForEverybodyAnew() {
    cost = Duration.ofMillis(49);

    assertThat(count.get()).isEqualTo(1);
    assertThat(count.get()).isEqualTo(2);
  }

  @Test
  void whatWasSlowIsKeptTwentyTimesAsLong() {
    cost = Duration.ofMillis(500);

    assertThat(count.get()).isEqualTo(1);
    pass(Duration.ofMillis(9_999));
    assertThat(count.get()).isEqualTo(1);
    pass(Duration.ofMillis(1));
    assertThat(count.get()).isEqualTo(2);
  }

  @Test
  void whatHasBecomeQuickIsCountedAnewAgain() {
    cost = Duration.ofMillis(500);
    count.get();
    pass(Duration.ofSeconds(10));
    cost = Duration.ZERO;

    assertThat(count.get()).isEqualTo(2);
    assertThat(count.get()).isEqualTo(3);
  }

  @Test
  void countThatFailsIsTriedAgainByTheNext() {
    var fails = new boolean[] {true};
    var shaky =
        new CostlyCount<>(
            () -> {
              if (fails[0]) {
                throw new IllegalStateException("away");
              }
              return 7;
            },
            () -> now);

    assertThatIllegalStateException().isThrownBy(shaky::get);
    fails[0] = false;
    assertThat(shaky.get()).isEqualTo(7);
  }
}
