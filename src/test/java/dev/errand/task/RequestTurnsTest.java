package dev.errand.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
          .isInstanceOf(RequestTurns.NoTurnException.class);
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
