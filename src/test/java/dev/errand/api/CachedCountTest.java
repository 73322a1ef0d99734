package dev.errand.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.errand.api.StatsResource.CachedCount;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class CachedCountTest {

  private static final Duration COST = Duration.ofMillis(500);

  private long now;
  private int counted;
  private boolean much = true;
  private boolean away;
  private final CachedCount<Integer> count = new CachedCount<>(this::count, _ -> much, () -> now);

  private int count() {
    if (away) {
      throw new IllegalStateException("away");
    }
    pass(COST);
    return ++counted;
  }

  private void pass(Duration time) {
    now += time.toNanos();
  }

  @Test
  void smallCountIsNotKept() {
    much = false;

    assertThat(count.get()).isEqualTo(1);
    assertThat(count.get()).isEqualTo(2);
  }

  @Test
  void largeCountIsKeptTwentyTimesAsLongAsItTook() {
    assertThat(count.get()).isEqualTo(1);
    pass(Duration.ofMillis(9_999));
    assertThat(count.get()).isEqualTo(1);
    pass(Duration.ofMillis(1));
    assertThat(count.get()).isEqualTo(2);
  }

  @Test
  void countThatBecameSmallIsNotKept() {
    count.get();
    pass(COST.multipliedBy(20));
    much = false;

    assertThat(count.get()).isEqualTo(2);
    assertThat(count.get()).isEqualTo(3);
  }

  @Test
  void failedCountIsRepeatedByTheNextCall() {
    away = true;
    assertThatIllegalStateException().isThrownBy(count::get);

    away = false;
    assertThat(count.get()).isEqualTo(1);
  }
}
