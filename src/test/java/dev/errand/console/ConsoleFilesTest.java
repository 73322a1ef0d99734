package dev.errand.console;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ConsoleFilesTest {

  private static final int MOST_BYTES = 60 * 1_024;

  @Test
  void ownScriptsAreSmall() {
    var files = new ConsoleFiles("/").content().files();

    var bytes =
        ConsoleFiles.OWN.stream()
            .filter(name -> name.endsWith(".js"))
            .mapToInt(name -> requireNonNull(files.get(name)).compressed().length)
            .sum();

    assertThat(bytes).isBetween(1, MOST_BYTES);
  }
}
