package dev.errand.arch;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is required and promised names tests that exist. */
class RequirementsTest {

  private static final Path LIST = Path.of("docs/internal/requirements.md");
  private static final Path TESTS = Path.of("src/test/java");
  private static final Pattern NAME = Pattern.compile("`([A-Z][A-Za-z0-9]*(?:Test|IT|Run))`");

  @ParameterizedTest
  @CsvSource({"docs/internal/requirements.md, 100", "docs/reliability.md, 2", "README.md, 10"})
  void everyTestThatIsNamedExists(Path page, int least) throws IOException {
    var named =
        NAME.matcher(Files.readString(page)).results().map(found -> found.group(1)).toList();

    assertThat(named).hasSizeGreaterThan(least).isSubsetOf(classes());
  }

  @Test
  void everyRequirementNamesATest() throws IOException {
    var rows =
        Files.readAllLines(LIST).stream()
            .filter(line -> line.startsWith("| ") && !line.startsWith("| id |"))
            .filter(line -> !line.startsWith("| tools | shown by"))
            .toList();

    assertThat(rows).hasSizeGreaterThan(50);
    assertThat(rows)
        .allSatisfy(row -> {
          var cells = List.of(row.split("(?<!\\\\)\\|"));
          assertThat(NAME.matcher(cells.getLast()).results().map(MatchResult::group)).isNotEmpty();
        });
  }

  private static Set<String> classes() throws IOException {
    try (var files = Files.walk(TESTS)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(file -> file.endsWith(".java"))
          .map(file -> file.substring(0, file.length() - ".java".length()))
          .collect(toSet());
    }
  }
}
