package dev.errand.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.errand.http.Refusal;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LoginLimitTest {

  private final AtomicLong nanos = new AtomicLong();
  private final LoginLimit limit = new LoginLimit(nanos::get);

  private void fail(String address) {
    assertThatThrownBy(() ->
            limit.within(
                address,
                () -> {
                  throw new SecurityException("wrong key");
                }))
        .hasMessage("wrong key");
  }

  private void assertRefused(String address) {
    assertThatThrownBy(() -> limit.within(address, () -> "in")).isInstanceOf(Refusal.class);
  }

  @Test
  void loginAfterFiveFailuresIsRefusedForAMinute() {
    for (int failed = 0; failed < LoginLimit.MOST; failed++) {
      fail("192.0.2.1");
    }
    assertRefused("192.0.2.1");
    assertThat(limit.within("192.0.2.2", () -> "in")).isEqualTo("in");

    nanos.addAndGet(LoginLimit.PERIOD.toNanos());

    assertThat(limit.within("192.0.2.1", () -> "in")).isEqualTo("in");
  }

  @Test
  void loginsThatSucceedAreNotLimited() {
    for (int login = 0; login < 2 * LoginLimit.MOST; login++) {
      limit.within("192.0.2.1", () -> "in");
    }
    fail("192.0.2.1");
  }

  @Test
  void faultOfTheServiceIsNoFailedLogin() {
    for (int fault = 0; fault < 2 * LoginLimit.MOST; fault++) {
      assertThatThrownBy(() ->
              limit.within(
                  "192.0.2.1",
                  () -> {
                    throw new IllegalStateException("no database");
                  }))
          .hasMessage("no database");
    }
  }

  /** Otherwise many logins at once could all be looked at before the first of them fails. */
  @Test
  void loginsThatAreUnderWayCount() {
    assertRefusedWithin(LoginLimit.MOST);
  }

  private void assertRefusedWithin(int open) {
    if (open == 0) {
      assertRefused("192.0.2.1");
    } else {
      limit.within(
          "192.0.2.1",
          () -> {
            assertRefusedWithin(open - 1);
            return "in";
          });
    }
  }
}
