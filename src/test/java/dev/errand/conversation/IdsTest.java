package dev.errand.conversation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.configuration.ConfigurationException;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IdsTest {

  private final Ids ids = new Ids();

  @AfterEach
  void backToTheFirstCell() {
    ids.configure(new StartupEvent(), 0);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 7, 255})
  void lastTwoDigitsOfAPublicIdAreItsCell(int cell) {
    ids.configure(new StartupEvent(), cell);

    assertThat(TaskId.next().toString()).endsWith("%02x".formatted(cell));
  }

  @Test
  void idsOfOneMillisecondAreDifferentAndInOrder() {
    var made = Stream.generate(Ids::next).limit(100_000).map(UUID::toString).toList();

    assertThat(made).doesNotHaveDuplicates().isSorted();
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 256})
  void cellThatDoesNotFitIsRefused(int cell) {
    assertThatThrownBy(() -> ids.configure(new StartupEvent(), cell))
        .isInstanceOf(ConfigurationException.class)
        .hasMessage("errand.cell must be a whole number from 0 to 255, and is " + cell);
  }
}
