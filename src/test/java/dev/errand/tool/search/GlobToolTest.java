package dev.errand.tool.search;

import static java.util.concurrent.TimeUnit.HOURS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.tool.ToolOutcome;
import dev.errand.tool.file.WorkspaceKit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GlobToolTest {

  @TempDir Path folder;
  private WorkspaceKit kit;

  @BeforeEach
  void workspace() {
    kit = new WorkspaceKit(folder);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "*.java | A.java | true",
        "*.java | src/main/A.java | true",
        "*.java | A.javac | false",
        "/*.java | A.java | true",
        "/*.java | src/A.java | false",
        "./src/*.java | src/A.java | true",
        "src/*.java | src/main/A.java | false",
        "src/**/*.java | src/A.java | true",
        "src/**/*.java | src/a/b/A.java | true",
        "src/** | src/a/b/A.java | true",
        "src/** | other/A.java | false",
        "**/test/** | a/test/b | true",
        "** | a/b | true",
        "?.txt | a.txt | true",
        "?.txt | ab.txt | false",
        "a?b | a/b | false",
        "*.{ts,tsx} | a/b.tsx | true",
        "*.{ts,tsx} | a/b.js | false",
        "src/{main,test}/{a,b}.x | src/test/b.x | true",
        "a,b | a,b | true",
        "a,b | x/b | true",
        "a\\,b | a,b | true",
        "a\\,b | b | false",
        "*.{ts,tsx},*.js | a/b.tsx | true",
        "*.{ts,tsx},*.js | a/b.js | true",
        "src/*.ts, test/*.ts | test/b.ts | true",
        "src/*.ts, test/*.ts | a/test/b.ts | false",
        "src/ | src/a/b | true",
        "src/ | a/src/b | false",
        "./ | a/b | true",
        "/ | a/b | true",
        "\\*.txt | *.txt | true",
        "\\*.txt | a.txt | false",
        "a+(b) | a+(b) | true",
        "[x] | [x] | true",
      })
  void patternsMatchPaths(String pattern, String path, boolean expected) {
    assertThat(GlobPattern.of("pattern", pattern).matches(path)).isEqualTo(expected);
  }

  @Test
  void mostRecentlyChangedFilesComeFirst() throws IOException {
    changed(kit.file("old.txt", ""), 1);
    changed(kit.file("b/new.txt", ""), 3);
    changed(kit.file("a/new.txt", ""), 3);
    changed(kit.file("middle.txt", ""), 2);

    assertThat(kit.call("glob", "pattern", "**/*.txt").text())
        .isEqualTo("a/new.txt\nb/new.txt\nmiddle.txt\nold.txt");
  }

  @Test
  void patternIsRelativeToThePathAndResultsToTheWorkspace() {
    kit.file("src/main/A.java", "");
    kit.file("main/B.java", "");

    assertThat(kit.call("glob", "pattern", "main/*", "path", "src").text())
        .isEqualTo("src/main/A.java");
  }

  @Test
  void absolutePatternMustBeInsideTheWorkspace() {
    kit.file("A.java", "");
    kit.file("src/B.java", "");

    assertThat(kit.call("glob", "pattern", folder + "/*.java").text()).isEqualTo("A.java");
    assertThat(kit.call("glob", "pattern", folder + "/**/*.java", "path", "src").text())
        .isEqualTo("src/B.java");
    assertThat(kit.call("glob", "pattern", "/src/*.java").text()).isEqualTo("src/B.java");
    assertThat(kit.call("glob", "pattern", "/etc/*.conf"))
        .isEqualTo(
            ToolOutcome.error(
                "pattern: begins with /, but there is no 'etc' in the directory where the search starts; write the pattern relative to that directory"));
  }

  @Test
  void gitDirectoriesAreSkipped() {
    kit.file(".git/config", "");
    kit.file("module/.git/config", "");
    kit.file(".github/config", "");

    assertThat(kit.call("glob", "pattern", "config").text()).isEqualTo(".github/config");
  }

  @Test
  void noMatchIsNotAnError() {
    assertThat(kit.call("glob", "pattern", "*.java")).isEqualTo(ToolOutcome.ok("No file matches."));
  }

  @Test
  void matchesAfterTheFirstThousandAreCounted() throws IOException {
    for (int i = 0; i < 1_003; i++) {
      Files.createFile(folder.resolve("f" + i));
    }

    assertThat(kit.call("glob", "pattern", "f*").text())
        .endsWith("(and 3 more files; narrow the pattern)")
        .hasLineCount(1_001);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a{b | pattern: has a { without a matching }; write \\{ for the character",
        "a}b | pattern: has a } without a matching {; write \\} for the character",
        "a\\ | pattern: ends with a backslash"
      })
  void incompletePatternIsAnError(String pattern, String message) {
    assertThat(kit.call("glob", "pattern", pattern)).isEqualTo(ToolOutcome.error(message));
  }

  @Test
  @Timeout(60)
  void patternWithManyStarsIsFast() {
    kit.file("d/".repeat(40) + "a".repeat(200), "");

    assertThat(kit.call("glob", "pattern", "**/".repeat(20) + "*a".repeat(40) + "b").text())
        .isEqualTo("No file matches.");
  }

  @Test
  void tooLargePatternIsAnError() {
    assertThat(kit.call("glob", "pattern", "*".repeat(1_001)).text())
        .isEqualTo("pattern: has more than 1000 characters");
    assertThat(kit.call("glob", "pattern", "{".repeat(20) + "}".repeat(20)).text())
        .isEqualTo("pattern: has too many nested {");
  }

  @Test
  void tooDeepTreeIsSearchedPartially() {
    kit.file("d/".repeat(70) + "deep.txt", "");
    kit.file("near.txt", "");

    assertThat(kit.call("glob", "pattern", "*.txt").text())
        .isEqualTo(
            "near.txt\n(The search is incomplete: the tree is too large, or some directories cannot be read.)");
  }

  private static void changed(Path file, long hours) throws IOException {
    Files.setLastModifiedTime(file, FileTime.from(hours, HOURS));
  }
}
