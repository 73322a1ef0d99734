package demo;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;

/** Prints aligned lines of plain text, and records them. */
final class Screen {

  private static final String PROGRAM = "program";

  private final PrintStream out;
  private final Film film = new Film();

  Screen(PrintStream out) {
    this.out = out;
  }

  /** A line about the demo itself. */
  void line(String topic, String text) {
    print(PROGRAM, "%-10s %s".formatted(topic, text));
  }

  /** A line about an event, {@code after} the first one. */
  void event(Duration after, String who, String text) {
    var style =
        switch (who) {
          case "user", "primary", "demo" -> who;
          default -> "child";
        };
    var seconds = after.toMillis() / 1000.0;
    print(style, String.format(Locale.ROOT, "%7.2f s  %-8s %s", seconds, who, text));
  }

  void empty() {
    out.println();
    film.space();
  }

  /** A path as a user in the current directory would write it. */
  static String path(Path path) {
    var here = Path.of("").toAbsolutePath();
    var name = path.startsWith(here) ? here.relativize(path).toString() : path.toString();
    return name.isEmpty() ? "." : name;
  }

  /** A longer text between two rules. */
  void block(String title, String text) {
    empty();
    print(PROGRAM, "--- " + title + " " + "-".repeat(60 - title.length()));
    text.lines().forEach(line -> print("answer", line));
    print(PROGRAM, "-".repeat(65));
  }

  private void print(String style, String line) {
    out.println(line);
    film.line(style, line);
  }

  /** The command that the user has typed, which only the film shows. */
  void typed(String command) {
    film.line("typed", "$ " + command);
  }

  void nodeRuns(long pid) {
    film.node("up", "● the node runs, process " + pid);
  }

  void nodeIsDead() {
    film.node("down", "✕ the node is dead");
  }

  /** Writes the film of all that was printed so far. */
  void save(Path file) throws IOException {
    film.save(file);
  }

  void flush() {
    out.flush();
  }
}
