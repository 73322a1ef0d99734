package dev.errand.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PreferTest {

  @ParameterizedTest
  @ValueSource(strings = {"wait=7", "Wait = 7", "respond-async, wait=7", "wait=\"7\"; foo=bar"})
  void waitIsRead(String header) {
    assertThat(Prefer.waitFor(List.of(header), 120)).contains(Duration.ofSeconds(7));
  }

  @Test
  void otherPreferencesAreIgnored() {
    assertThat(Prefer.waitFor(List.of("respond-async"), 120)).isEmpty();
    assertThat(Prefer.waitFor(List.of(), 120)).isEmpty();
  }

  @Test
  void allLinesOfTheHeaderAreRead() {
    var lines = List.of("respond-async", "handling=lenient, wait=7", "wait=9");

    assertThat(Prefer.waitFor(lines, 120)).contains(Duration.ofSeconds(7));
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
    assertThatThrownBy(() -> Prefer.waitFor(List.of(header), 120)).isInstanceOf(Refusal.class);
  }
}
