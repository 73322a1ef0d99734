package dev.errand.api.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PreferTest {

  @ParameterizedTest
  @ValueSource(strings = {"wait=7", "Wait = 7", "respond-async, wait=7", "wait=\"7\"; foo=bar"})
  void waitIsRead(String header) {
    assertThat(Prefer.waitFor(header, 120)).contains(Duration.ofSeconds(7));
  }

  @Test
  void otherPreferencesAreIgnored() {
    assertThat(Prefer.waitFor("respond-async", 120)).isEmpty();
    assertThat(Prefer.waitFor(null, 120)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "wait=",
        "wait=-1",
        "wait=abc",
        "wait=1.5",
        "wait=121",
        "wait=99999999999999999999"
      })
  void wrongWaitIsRefused(String header) {
    assertThatThrownBy(() -> Prefer.waitFor(header, 120)).isInstanceOf(Refusal.class);
  }
}
