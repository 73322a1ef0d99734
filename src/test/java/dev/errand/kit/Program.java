package dev.errand.kit;

import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * A program that a test needs and a machine may not have. Without it the test is skipped, or fails
 * when {@code ERRAND_TEST_PROMETHEUS}, or {@code ERRAND_TEST_KUBECTL}, is {@code required}.
 */
public final class Program {

  private Program() {}

  /** What it printed on both its outputs, and its exit code. */
  public record Ended(int exitCode, String output) {}

  /** Runs it to its end. */
  public static Ended run(Path folder, String... command) {
    var process =
        start(new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true));
    try (var output = process.getInputStream()) {
      var text = new String(output.readAllBytes(), StandardCharsets.UTF_8);
      return new Ended(process.waitFor(), text);
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(stopped);
    }
  }

  static Process start(ProcessBuilder program) {
    try {
      return program.start();
    } catch (IOException absent) {
      return absent(program.command());
    }
  }

  private static Process absent(List<String> command) {
    var sentence = command.getFirst() + " is needed, and is not there";
    var name = command.getFirst().startsWith("prom") ? "PROMETHEUS" : "KUBECTL";
    var required = "required".equals(System.getenv("ERRAND_TEST_" + name));
    return required ? fail(sentence) : abort(sentence);
  }
}
