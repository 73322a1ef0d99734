package dev.errand.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.errand.api.http.Refusal;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RequestTurnsTest {

  private final RequestTurns turns = new RequestTurns(1, Duration.ZERO);

  @Test
  void workWhoseTurnDoesNotComeIsRefusedAndNotDone() {
    turns.take(() -> {
      assertThatThrownBy(() ->
              turns.take(() -> {
                throw new AssertionError("submitted");
              }))
          .isInstanceOf(Refusal.class)
          .hasMessageContaining("nothing was accepted");
      return "submitted";
    });

    assertThat(turns.<String>take(() -> "submitted")).isEqualTo("submitted");
  }

  @Test
  void turnEndsWithAnException() {
    for (int time = 0; time < 2; time++) {
      assertThatThrownBy(() ->
              turns.take(() -> {
                throw new IllegalStateException("broken");
              }))
          .hasMessage("broken");
    }
  }
}
