package demo;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;

/** Prints aligned lines of plain text. */
final class Screen {

  private final PrintStream out;

  Screen(PrintStream out) {
    this.out = out;
  }

  /** A line about the demo itself. */
  void line(String topic, String text) {
    out.printf(Locale.ROOT, "%-10s %s%n", topic, text);
  }

  /** A line about an event, {@code after} the first one. */
  void event(Duration after, String who, String text) {
    out.printf(Locale.ROOT, "%7.2f s  %-8s %s%n", after.toMillis() / 1000.0, who, text);
  }

  void empty() {
    out.println();
  }

  /** A longer text between two rules. */
  void block(String title, String text) {
    out.printf(
        "%n--- %s %s%n%s%n%s%n", title, "-".repeat(60 - title.length()), text, "-".repeat(65));
  }

  void flush() {
    out.flush();
  }
}
