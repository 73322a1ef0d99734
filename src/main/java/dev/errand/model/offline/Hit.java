package dev.errand.model.offline;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A line of a file, written {@code path:line: text}. */
record Hit(String path, int line, String text) implements Comparable<Hit> {

  /** As grep gives it: anything up to the first number between colons is the path. */
  private static final Pattern GREP = Pattern.compile("(.+?):(\\d{1,9}):(.*)");

  /** As people write it in a list: a path with a dot or a slash, and a number. */
  private static final Pattern LISTED =
      Pattern.compile(
          "(?:[\\s>|*•-]|\\d+\\. )*((?:[\\w.@+$-]+/)*[\\w@+$.-]*[./][\\w@+$-]+):(\\d{1,9})\\b:?(.*)");

  private static final int LONGEST_TEXT = 160;

  /** The matching lines among what grep printed. */
  static List<Hit> ofGrep(String output) {
    return output.lines().flatMap(line -> read(GREP.matcher(line)).stream()).toList();
  }

  /** The lines of {@code text} that begin with a hit, each place once. */
  static List<Hit> leading(String text) {
    return text.lines().flatMap(line -> read(LISTED.matcher(line)).stream()).distinct().toList();
  }

  private static Optional<Hit> read(Matcher matcher) {
    return matcher.matches()
        ? Optional.of(
            new Hit(matcher.group(1), Integer.parseInt(matcher.group(2)), matcher.group(3).strip()))
        : Optional.empty();
  }

  boolean near(Hit other, int lines) {
    return path.equals(other.path) && Math.abs(line - other.line) <= lines;
  }

  @Override
  public int compareTo(Hit other) {
    return Comparator.comparing(Hit::path)
        .thenComparing(Hit::line)
        .thenComparing(Hit::text)
        .compare(this, other);
  }

  @Override
  public String toString() {
    var shown = text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT) + " …";
    return shown.isEmpty() ? path + ":" + line : "%s:%d: %s".formatted(path, line, shown);
  }
}
