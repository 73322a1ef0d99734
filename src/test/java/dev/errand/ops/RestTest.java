package dev.errand.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RestTest {

  private final AtomicLong now = new AtomicLong();
  private final AtomicInteger steps = new AtomicInteger();
  private final Rest rest = new Rest(now::get);

  @Test
  void stepThatTookASecondRestsForFiveMinutes() {
    rest.whenOver(() -> pass(Duration.ofSeconds(1)));
    pass(Duration.ofSeconds(299));
    rest.whenOver(steps::incrementAndGet);
    assertThat(steps).hasValue(0);

    pass(Duration.ofSeconds(1));
    rest.whenOver(steps::incrementAndGet);
    assertThat(steps).hasValue(1);
  }

  @Test
  void stepThatFailedRestsToo() {
    assertThatThrownBy(() ->
            rest.whenOver(() -> {
              pass(Duration.ofSeconds(60));
              throw new IllegalStateException("the statement was cancelled");
            }))
        .hasMessage("the statement was cancelled");

    pass(Duration.ofMinutes(299));
    rest.whenOver(steps::incrementAndGet);
    assertThat(steps).hasValue(0);
  }

  private void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }
}
