package dev.errand.model.offline;

import dev.errand.conversation.TextCut;
import java.util.List;
import java.util.regex.Pattern;

/** A line of a file, written {@code path:line: text}. */
record Hit(String path, int line, String text) {

  /** As grep prints it: everything before the first number between colons is the path. */
  private static final Pattern GREP = Pattern.compile("(?m)^(.+?):(\\d{1,9}):(.*)$");

  /** As a list in running text shows it: a path with a dot or a slash, and a number. */
  private static final Pattern LISTED =
      Pattern.compile(
          "(?m)^(?:[ >|*•-]|\\d+\\."
              + " )*((?:[\\w.@+$-]+/)*[\\w@+$.-]*[./][\\w@+$-]+):(\\d{1,9})\\b:?(.*)$");

  private static final int LONGEST_TEXT = 160;

  /** The matching lines in the output of grep. */
  static List<Hit> ofGrep(String output) {
    return all(GREP, output);
  }

  /** The lines of {@code text} that begin with a hit, each once. */
  static List<Hit> leading(String text) {
    return all(LISTED, text);
  }

  private static List<Hit> all(Pattern pattern, String text) {
    return pattern
        .matcher(text)
        .results()
        .map(hit -> new Hit(hit.group(1), Integer.parseInt(hit.group(2)), hit.group(3).strip()))
        .distinct()
        .toList();
  }

  /** {@code 8 places in 5 files}. */
  static String count(List<Hit> hits, String noun) {
    return plural(hits.stream().distinct().count(), noun)
        + " in "
        + plural(hits.stream().map(Hit::path).distinct().count(), "file");
  }

  private static String plural(long number, String noun) {
    return number + " " + noun + (number == 1 ? "" : "s");
  }

  boolean isNear(Hit other, int lines) {
    return path.equals(other.path) && Math.abs(line - other.line) <= lines;
  }

  @Override
  public String toString() {
    var shown = TextCut.withEllipsis(text, LONGEST_TEXT);
    return shown.isEmpty() ? path + ":" + line : "%s:%d: %s".formatted(path, line, shown);
  }
}
