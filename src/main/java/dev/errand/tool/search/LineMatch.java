package dev.errand.tool.search;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.errand.tool.ToolFailure;
import dev.errand.tool.file.CancelFlag;
import dev.errand.tool.file.ShownPath;
import dev.errand.tool.file.TextLines;

/**
 * Finds a regular expression in lines, in time linear to their length.
 *
 * @param required what a line must have to match at all: cheap to look for
 */
record LineMatch(Pattern pattern, RequiredText required, CancelFlag halt) {

  private static final int MAX_SIZE = 20_000;
  private static final int MAX_GROUPS = 500;

  /** Compiles {@code regex}; a {@link ToolFailure} says where it is wrong. */
  static LineMatch of(String regex, boolean caseInsensitive, CancelFlag halt) {
    if (RegexSize.exceeds(MAX_SIZE, regex)) {
      throw new ToolFailure("pattern: is too large; use fewer or smaller repetitions like {1000}");
    }
    if (regex.chars().filter(character -> character == '(').count() > MAX_GROUPS) {
      throw new ToolFailure("pattern: has more than %d groups".formatted(MAX_GROUPS));
    }
    try {
      return new LineMatch(
          Pattern.compile(regex, caseInsensitive ? Pattern.CASE_INSENSITIVE : 0),
          RequiredText.of(regex, caseInsensitive),
          halt);
    } catch (PatternSyntaxException invalid) {
      throw new ToolFailure("pattern: " + explained(invalid, regex));
    }
  }

  boolean isIn(TextLines.Line line) {
    return required.mayBeIn(line.text())
        && pattern.matcher(InterruptibleText.of(line.text(), halt)).find();
  }

  private static String explained(PatternSyntaxException invalid, String regex) {
    var place = regex.indexOf(invalid.getPattern());
    if (place < 0) {
      return "unexpected )"; // the engine has no word of its own for it
    }
    return "%s at character %d: %s"
        .formatted(invalid.getDescription(), place + 1, ShownPath.of(invalid.getPattern()));
  }
}
