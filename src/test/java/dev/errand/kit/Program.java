package dev.errand.kit;

import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * An external program that may not be installed. Without it the test is skipped, or fails when
 * {@code ERRAND_TEST_PROMETHEUS}, {@code ERRAND_TEST_KUBECTL}, {@code ERRAND_TEST_CHROMIUM} or
 * {@code ERRAND_TEST_PYTHON} is {@code required}.
 */
public final class Program {

  private Program() {}

  /** The exit code and the combined output of a program. */
  public record Ended(int exitCode, String output) {}

  /** Runs a program and waits for its end. */
  public static Ended run(Path folder, String... command) {
    var process =
        start(new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true));
    try (var output = process.getInputStream()) {
      var text = new String(output.readAllBytes(), StandardCharsets.UTF_8);
      return new Ended(process.waitFor(), text);
    } catch (IOException exception) {
      throw new UncheckedIOException(exception);
    } catch (InterruptedException exception) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(exception);
    }
  }

  /** Starts a program. */
  public static Process start(ProcessBuilder program) {
    try {
      return program.start();
    } catch (IOException exception) {
      return skipOrFail(program.command());
    }
  }

  private static Process skipOrFail(List<String> command) {
    var name =
        switch (command.getFirst()) {
          case "chromedriver" -> "CHROMIUM";
          case "python3" -> "PYTHON";
          case "prometheus", "promtool" -> "PROMETHEUS";
          default -> "KUBECTL";
        };
    var message =
        command.getFirst()
            + " is needed and was not found"
            + (name.equals("CHROMIUM") ? ": apt-get install chromium chromium-driver" : "");
    var required = "required".equals(System.getenv("ERRAND_TEST_" + name));
    return required ? fail(message) : abort(message);
  }
}
