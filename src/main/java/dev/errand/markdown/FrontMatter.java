package dev.errand.markdown;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * A file with YAML keys and values between two lines {@code ---}, and a text below them. Lines end
 * with {@code \n}. Empty lines and comments may come first, and {@code ...} may be the second line.
 *
 * @param fields in the order of the file; a key may occur twice
 */
public record FrontMatter(String file, List<YamlField> fields, String body) {

  private static final String FENCE = "---";
  private static final String END = "...";

  /** The beginning of YAML with keys; a sentence below a horizontal rule is none. */
  private static final Pattern KEYS = Pattern.compile("\\s*[{\\[\"'?-].*|.*:.*");

  /** A key that stands directly below the first line. */
  private static final Pattern KEY = Pattern.compile("[A-Za-z][\\w-]*\\s*:(?:\\s.*)?");

  /** Returns whether a text begins with front matter, be it valid or not. */
  public static boolean begins(String text) {
    return first(lines(text)) >= 0;
  }

  /**
   * @param known whether a key is one that the reader of the file knows: in any spelling, it is
   *     never taken for a part of a text
   * @throws BrokenFile there is no front matter, or it cannot be read
   */
  public static FrontMatter of(String file, String text, Predicate<String> known) {
    var lines = lines(text);
    var first = first(file, lines);
    var second = second(file, lines, first);
    var fields = new FieldLines(file, first + 2, lines.subList(first + 1, second), known).fields();
    var body = String.join("\n", lines.subList(second + 1, lines.size()));
    return new FrontMatter(file, fields, body.strip());
  }

  /**
   * Returns the text with another line at the end of its keys.
   *
   * @throws BrokenFile there is no front matter
   */
  public static String withLine(String file, String text, String line) {
    var lines = new ArrayList<>(lines(text));
    lines.add(second(file, lines, first(file, lines)), line);
    return String.join("\n", lines);
  }

  private static List<String> lines(String text) {
    return List.of(text.split("\n", -1));
  }

  private static int first(String file, List<String> lines) {
    var first = first(lines);
    if (first < 0) {
      throw new BrokenFile(file, 1, "must begin with a line '---' and have its keys below it");
    }
    return first;
  }

  /** Returns the position of the first of the two lines; -1 without front matter. */
  private static int first(List<String> lines) {
    var heading = false;
    for (int at = 0; at < lines.size(); at++) {
      var line = lines.get(at).strip();
      if (line.startsWith("<!--")) {
        at = endOfComment(lines, at);
      } else if (line.startsWith("#")) {
        heading = true;
      } else if (!line.isEmpty()) {
        return isFirst(lines.get(at)) && haveKeys(lines, at + 1, heading) ? at : -1;
      }
    }
    return -1;
  }

  private static boolean isFirst(String line) {
    return line.stripTrailing().equals(FENCE);
  }

  private static boolean isSecond(String line) {
    return isFirst(line) || line.stripTrailing().equals(END);
  }

  private static int endOfComment(List<String> lines, int from) {
    var at = from;
    while (at < lines.size() && !lines.get(at).contains("-->")) {
      at++;
    }
    return at;
  }

  /** Below a heading, {@code ---} is a horizontal rule unless a key follows directly. */
  private static boolean haveKeys(List<String> lines, int from, boolean heading) {
    if (heading) {
      return from < lines.size() && KEY.matcher(lines.get(from)).matches();
    }
    return lines.subList(from, lines.size()).stream()
        .filter(line -> !line.isBlank() && !line.strip().startsWith("#"))
        .findFirst()
        .map(line -> isSecond(line) || KEYS.matcher(line).matches())
        .orElse(true);
  }

  private static int second(String file, List<String> lines, int first) {
    for (int at = first + 1; at < lines.size(); at++) {
      if (isSecond(lines.get(at))) {
        return at;
      }
    }
    throw new BrokenFile(file, first + 1, "the second line '---' is missing");
  }
}
