package dev.errand.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The proxy recognises statements by pieces of their text, which may change with the service. */
class FaultsTest {

  @Test
  void eachCommitThatIsLostOccursInTheService() throws IOException {
    var constants = constantsOfTheService();

    assertThat(ConnectionFaults.COMMITS)
        .allSatisfy(piece ->
            assertThat(constants).anyMatch(text -> text.contains(piece.replaceAll("\\$$", ":"))));
  }

  @Test
  void hintsAndListenersAreRecognised() throws IOException {
    assertThat(constantsOfTheService())
        .anyMatch(text -> text.contains(DatabaseProxy.LISTEN))
        .anyMatch(text -> text.contains(DatabaseProxy.NOTIFY));
  }

  private static List<String> constantsOfTheService() throws IOException {
    try (var files = Files.walk(Path.of("target/classes/dev/errand"))) {
      return files.filter(Files::isRegularFile).map(FaultsTest::text).toList();
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (IOException exception) {
      throw new UncheckedIOException(exception);
    }
  }
}
