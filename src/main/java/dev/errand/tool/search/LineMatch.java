package dev.errand.tool.search;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.errand.tool.ToolFailure;
import dev.errand.tool.file.ShownPath;
import dev.errand.tool.file.TextLines;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Searches lines for a regular expression, in time linear in their length.
 *
 * @param required text that a line must contain to match; cheap to look for
 * @param mayMeanLines whether the expression seems to be about several lines
 */
record LineMatch(
    Pattern pattern, RequiredLiteral required, boolean mayMeanLines, CancelFlag cancel) {

  private static final int MAX_SIZE = 20_000;
  private static final int MAX_GROUPS = 500;

  /**
   * Compiles {@code regex}.
   *
   * @throws ToolFailure the expression is invalid or too large
   */
  static LineMatch of(String regex, boolean caseInsensitive, CancelFlag cancel) {
    if (RegexSize.exceeds(MAX_SIZE, regex)) {
      throw new ToolFailure("pattern: is too large; use fewer or smaller repetitions like {1000}");
    }
    if (regex.chars().filter(character -> character == '(').count() > MAX_GROUPS) {
      throw new ToolFailure("pattern: has more than %d groups".formatted(MAX_GROUPS));
    }
    var lines = LineRegex.of(regex);
    var flags = caseInsensitive ? Pattern.CASE_INSENSITIVE : 0;
    try {
      Pattern.compile(lines.ascii(), flags); // so that an error quotes what the model wrote
      return new LineMatch(
          Pattern.compile(lines.unicode(), flags),
          RequiredLiteral.of(lines.ascii(), caseInsensitive),
          lines.mayMeanLines(),
          cancel);
    } catch (PatternSyntaxException invalid) {
      throw new ToolFailure("pattern: " + explained(invalid, regex));
    }
  }

  /**
   * @throws CancelFlag.TimeIsOver the search is out of time
   */
  boolean isIn(TextLines.TextLine line) {
    cancel.throwIfStopped();
    return required.mayBeIn(line.text())
        && pattern.matcher(InterruptibleText.of(line.text(), cancel)).find();
  }

  private static String explained(PatternSyntaxException invalid, String regex) {
    var position = regex.indexOf(invalid.getPattern());
    if (position < 0) {
      return "unexpected )"; // the engine does not describe this error
    }
    return "%s at character %d: %s"
        .formatted(invalid.getDescription(), position + 1, ShownPath.of(invalid.getPattern()));
  }

  /** A long text that throws once the search is stopped, so that matching it ends early. */
  private record InterruptibleText(CharSequence text, CancelFlag cancel) implements CharSequence {

    private static final int LONG = 10_000;

    /** Returns {@code text} itself if it is short. */
    static CharSequence of(String text, CancelFlag cancel) {
      return text.length() < LONG ? text : new InterruptibleText(text, cancel);
    }

    @Override
    public char charAt(int index) {
      if ((index & 0xFFF) == 0) {
        cancel.throwIfStopped();
      }
      return text.charAt(index);
    }

    @Override
    public int length() {
      return text.length();
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return text.subSequence(start, end);
    }

    @Override
    public String toString() {
      return text.toString();
    }
  }

  /**
   * The longest ASCII text that every match of a regular expression contains. Searching for it is
   * many times faster than matching, and most files and lines do not contain it. Conservative:
   * syntax that is not understood yields no literal.
   *
   * @param anyOf one literal per alternative of the expression, in lower case if the case is
   *     ignored; empty if an alternative has none
   */
  record RequiredLiteral(List<String> anyOf, boolean ignoreCase) {

    /** Flags, named groups, quoting, numeric escapes, and classes that contain a bracket. */
    private static final Pattern UNSUPPORTED =
        Pattern.compile("\\(\\?[^:]|\\[\\^?\\]|\\[:|\\\\[^dDwWsSbBAztnrfva\\W_]");

    private static final Pattern TOKEN =
        Pattern.compile("(?s)\\\\.|\\[(?:[^\\]\\\\]|\\\\.)*\\]|\\{\\d+(?:,\\d*)?\\}|.");

    private static final Pattern LITERAL =
        Pattern.compile("\\\\[[:punct:] ]|[^\\\\()\\[|*?+.^$\\x{80}-\\x{10FFFF}]");

    RequiredLiteral {
      anyOf = List.copyOf(anyOf);
    }

    static RequiredLiteral of(String regex, boolean ignoreCase) {
      var alternatives = new ArrayList<String>();
      var longest = "";
      var run = new StringBuilder();
      var depth = 0;
      var tokens = TOKEN.matcher(UNSUPPORTED.matcher(regex).find() ? "" : regex);
      while (tokens.find()) {
        var token = tokens.group();
        var hasOtherCases = ignoreCase && "kKsS".contains(token); // the Kelvin sign, the long s
        if (depth == 0 && LITERAL.matches(token) && !hasOtherCases) {
          var literal = token.substring(token.length() - 1);
          run.append(ignoreCase ? literal.toLowerCase(Locale.ROOT) : literal);
          continue;
        }
        if ("*?{".indexOf(token.charAt(0)) >= 0) {
          run.setLength(Math.max(0, run.length() - 1)); // the repeated character may be missing
        }
        longest = run.length() > longest.length() ? run.toString() : longest;
        run.setLength(0);
        depth += token.equals("(") ? 1 : token.equals(")") ? -1 : 0;
        if (depth == 0 && token.equals("|")) {
          alternatives.add(longest);
          longest = "";
        }
      }
      alternatives.add(run.length() > longest.length() ? run.toString() : longest);
      return new RequiredLiteral(alternatives.contains("") ? List.of() : alternatives, ignoreCase);
    }

    boolean mayBeIn(String line) {
      if (anyOf.isEmpty()) {
        return true;
      }
      var text = ignoreCase ? line.toLowerCase(Locale.ROOT) : line;
      return anyOf.stream().anyMatch(text::contains);
    }

    /** Whether it may be in a text whose ASCII characters take one byte each. */
    boolean mayBeIn(byte[] text) {
      return anyOf.isEmpty() || mayBeIn(new String(text, ISO_8859_1));
    }
  }
}
