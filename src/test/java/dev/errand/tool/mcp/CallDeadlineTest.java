package dev.errand.tool.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class CallDeadlineTest {

  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
  private final CallDeadline deadline = new CallDeadline(Duration.ofSeconds(2), now::get);

  @Test
  void withoutProgressTheTimeOutDecides() {
    pass(1_999);
    assertThat(deadline.millisLeft()).isOne();

    pass(1);
    assertThat(deadline.millisLeft()).isZero();
    assertThat(deadline.missed()).isEqualTo("did not answer within 2 s");
  }

  @Test
  void progressBeginsTheTimeOutAgain() {
    pass(1_500);
    deadline.progressed();
    pass(1_500);
    assertThat(deadline.millisLeft()).isEqualTo(500);

    pass(500);
    assertThat(deadline.millisLeft()).isZero();
    assertThat(deadline.missed()).isEqualTo("reported no progress for 2 s");
  }

  @Test
  void progressExtendsACallToTenTimesItsTimeOut() {
    for (int second = 1; second < 20; second++) {
      pass(1_000);
      deadline.progressed();
      assertThat(deadline.millisLeft()).isEqualTo(Math.min(2_000, 20_000 - second * 1_000));
    }

    pass(1_000);
    deadline.progressed();
    assertThat(deadline.millisLeft()).isZero();
    assertThat(deadline.missed()).isEqualTo("did not finish within 20 s");
  }

  private void pass(long millis) {
    now.addAndGet(Duration.ofMillis(millis).toNanos());
  }
}
