package dev.errand.tool;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;

/** Finds a regular expression in lines, in time linear to their length. */
record LineMatch(Pattern pattern) {

  private static final int MAX_SIZE = 20_000;

  /** Compiles {@code regex}; a {@link ToolFailure} says where it is wrong. */
  static LineMatch of(String regex, boolean caseInsensitive) {
    if (RegexSize.exceeds(MAX_SIZE, regex)) {
      throw new ToolFailure("pattern: is too large; use fewer or smaller repetitions like {1000}");
    }
    try {
      return new LineMatch(Pattern.compile(regex, caseInsensitive ? Pattern.CASE_INSENSITIVE : 0));
    } catch (PatternSyntaxException invalid) {
      throw new ToolFailure(
          "pattern: %s at character %d: %s"
              .formatted(
                  invalid.getDescription(),
                  Math.max(0, regex.indexOf(invalid.getPattern())) + 1,
                  ShownPath.of(invalid.getPattern())));
    }
  }

  boolean isIn(TextLines.Line line) {
    return pattern.matcher(InterruptibleText.of(line.text())).find();
  }
}
