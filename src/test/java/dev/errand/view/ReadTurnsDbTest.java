package dev.errand.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.errand.postgres.SqlErrors;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.junit.QuarkusTest;
import java.time.Duration;
import org.junit.jupiter.api.Test;

@QuarkusTest
class ReadTurnsDbTest {

  private final ReadTurns turns = new ReadTurns(1, Duration.ZERO);

  @Test
  void readWhoseTurnDoesNotComeCanBeRepeatedLater() {
    turns.take(() -> {
      assertThatThrownBy(() -> turns.take(() -> "read")).matches(SqlErrors::isTransient);
      return "read";
    });

    assertThat(turns.take(() -> "read")).isEqualTo("read");
  }

  @Test
  void readInATransactionNeedsNoTurn() {
    var read =
        turns.take(() -> QuarkusTransaction.requiringNew().call(() -> turns.take(() -> "read")));

    assertThat(read).isEqualTo("read");
  }
}
