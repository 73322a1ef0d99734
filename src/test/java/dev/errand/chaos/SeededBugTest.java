package dev.errand.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The bugs can be put into the service as it is now. */
class SeededBugTest {

  static Stream<SeededBug.Change> changes() {
    return SeededBug.ALL.stream().map(SeededBug::changes).flatMap(List::stream);
  }

  @ParameterizedTest
  @MethodSource("changes")
  void textThatABugReplacesIsInItsClass(SeededBug.Change change) throws IOException {
    try (var file =
        SeededBugTest.class.getResourceAsStream("/dev/errand/" + change.type() + ".class")) {
      var compiled = Objects.requireNonNull(file).readAllBytes();

      assertThat(ClassConstants.exchange(compiled, change.text(), change.replacement()))
          .isNotEqualTo(compiled);
    }
  }
}
