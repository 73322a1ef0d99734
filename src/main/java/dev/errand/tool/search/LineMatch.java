package dev.errand.tool.search;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.errand.tool.ToolFailure;
import dev.errand.tool.file.ShownPath;
import dev.errand.tool.file.TextLines;

/**
 * Searches lines for a regular expression, in time linear in their length.
 *
 * @param mayMeanLines whether the expression seems to be about several lines
 */
record LineMatch(Pattern pattern, boolean mayMeanLines, CancelFlag cancel) {

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
      return new LineMatch(Pattern.compile(lines.unicode(), flags), lines.mayMeanLines(), cancel);
    } catch (PatternSyntaxException invalid) {
      throw new ToolFailure("pattern: " + explained(invalid, regex));
    }
  }

  /**
   * @throws CancelFlag.TimeIsOver the search is out of time
   */
  boolean isIn(TextLines.TextLine line) {
    cancel.throwIfStopped();
    return pattern.matcher(InterruptibleText.of(line.text(), cancel)).find();
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
}
