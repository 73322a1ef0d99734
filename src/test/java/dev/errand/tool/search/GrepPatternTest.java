package dev.errand.tool.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.tool.ToolOutcome;
import dev.errand.tool.file.WorkspaceKit;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The regular expressions of grep. */
@Timeout(120)
class GrepPatternTest {

  @TempDir Path folder;
  private WorkspaceKit kit;

  @BeforeEach
  void workspace() {
    kit = new WorkspaceKit(folder);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      value = {
        "ab?c ~ ac ~ true", "ab*c ~ ac ~ true", "ab+c ~ ac ~ false", "ab{0,2}c ~ ac ~ true",
        "x|ab ~ xx ~ true", "x|ab ~ b ~ false", "(foo|bar)baz ~ barbaz ~ true",
            "a[xy]?b ~ ab ~ true",
        "(?i)ABC ~ abc ~ true", "a\\.b ~ a.b ~ true", "a\\.b ~ axb ~ false", "\\x61b ~ ab ~ true",
        "map{ ~ map{ ~ true", "\\Qa.b\\E ~ a.b ~ true", "[]x]y ~ ]y ~ true", "(ab)?c ~ c ~ true",
        "\\bclass\\b ~ a class b ~ true", "~ anything ~ true"
      })
  void requiredLiteralNeverHidesAMatch(String pattern, String line, boolean expected) {
    kit.file("a.txt", line);
    var regex = pattern == null ? "()" : pattern;

    assertThat(kit.call("grep", "pattern", regex).text().equals("a.txt")).isEqualTo(expected);
    assertThat(kit.call("grep", "pattern", regex, "case_insensitive", true).text().equals("a.txt"))
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      value = {
        "\\d+ ~ a 12 ~ true",
        "\\<class\\> ~ a class b ~ true",
        "\\<class\\> ~ a classy b ~ false",
        "\\bécole\\b ~ une école ~ true",
        "\\bécole\\b ~ préécole ~ false",
        "\\<café\\> ~ le café. ~ true",
        "^\\w+$ ~ Prüfung ~ true",
        "[\\w-]+: ~ Größe-x: 1 ~ true",
        "^\\W$ ~ é ~ false",
        "(?i)ÉCOLE ~ école ~ true",
        "map[string]interface{} ~ var x map[string]interface{} ~ false",
        "interface{} ~ var x interface{} ~ true",
        "{{ .Values.x }} ~ a: {{ .Values.x }} ~ true",
        "${HOME} ~ echo x ~ false",
        "a{,3}b ~ a{,3}b ~ true",
        "func \\(\\w+ \\*Server\\) ~ func (s *Server) x ~ true",
        "[^\\n]*x ~ abx ~ true",
        "a\\/b ~ a/b ~ true",
        "\\p{Lu}x ~ Éx ~ true",
        "[[:alpha:]\\w]+é ~ xé ~ true",
        "[]\\w]x ~ ]x ~ true",
        "\\Qa\\wb\\E ~ a\\wb ~ true",
        "[\\s\\S]b ~ ab ~ true",
      })
  void expressionsOfRipgrepMatch(String pattern, String line, boolean expected) {
    kit.file("a.txt", line);

    assertThat(kit.call("grep", "pattern", pattern).text().equals("a.txt")).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\\nb", "a\nb", "x\\r\\ny", "a\n"})
  void expressionForSeveralLinesIsAnError(String pattern) {
    kit.file("a.txt", "a\nb");

    assertThat(kit.call("grep", "pattern", pattern))
        .isEqualTo(
            ToolOutcome.error(
                "pattern: contains a line end (\\n), but lines are searched one by one; search for the text of one line, with context for the lines around it"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"(?s)a.*b", "a[\\s\\S]*b", "a[\\w\\W]+b"})
  void expressionThatMaySpanLinesIsExplainedIfNothingMatches(String pattern) {
    kit.file("a.txt", "a\nb");

    assertThat(kit.call("grep", "pattern", pattern).text())
        .isEqualTo("No matches.\n(Lines are searched one by one: no match spans several.)");
  }

  @Test
  void nonAsciiVariantsOfALetterMatchIfCaseIsIgnored() {
    kit.file("a.txt", "mi\u017Fs \u212Aelvin");

    assertThat(kit.call("grep", "pattern", "miss kelvin", "case_insensitive", true).text())
        .isEqualTo("a.txt");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "foo( | pattern: missing closing ) at character 1: foo(",
        "foo)  | pattern: unexpected )",
        "ab[z-a] | pattern: invalid character class range at character 4: z-a",
        "ab(?=c) | pattern: invalid or unsupported Perl syntax at character 3: (?=",
        "ab\\1 | pattern: invalid escape sequence at character 3: \\1",
        "a{2000} | pattern: invalid repeat count at character 2: {2000}",
      })
  void invalidExpressionIsReportedWithItsPosition(String pattern, String message) {
    assertThat(kit.call("grep", "pattern", pattern)).isEqualTo(ToolOutcome.error(message));
  }

  @Test
  @Timeout(60)
  void nestedRepetitionTakesLinearTime() {
    kit.file("a.txt", "a".repeat(1_000_000) + "b");

    assertThat(kit.call("grep", "pattern", "(a+)+$").text()).isEqualTo("No matches.");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "(((a{1000}){1000}){1000}){1000}",
        "((a{1000}[(]b){1000}){1000}",
        "(((a{1000})\\Q\\E{1000})\\Q\\E{1000})",
        "((a{1,1000})+{1000}){1000}"
      })
  void tooLargeExpressionIsAnError(String pattern) {
    assertThat(kit.call("grep", "pattern", pattern).text()).startsWith("pattern: is too large");
  }

  @Test
  void tooDeepExpressionIsAnError() {
    var nested = "(".repeat(2_000) + ")".repeat(2_000);

    assertThat(kit.call("grep", "pattern", nested))
        .isEqualTo(ToolOutcome.error("pattern: has more than 500 groups"));
    assertThat(kit.call("grep", "pattern", "(".repeat(100_000)).isError()).isTrue();
  }

  @Test
  void ordinaryRepetitionsAreAccepted() {
    kit.file("a.txt", "127.0.0.1 67e55044-10b1-426f-9247-bb680e5fe0c8");

    assertThat(
            kit.call(
                    "grep",
                    "pattern",
                    "(\\d{1,3}\\.){3}\\d{1,3} [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
                .text())
        .isEqualTo("a.txt");
  }
}
