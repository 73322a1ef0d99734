package dev.errand.tool.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.tool.ToolOutcome;
import dev.errand.tool.file.WorkspaceKit;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Patterns as models know them from ripgrep, minimatch and shells. */
class GlobDialectTest {

  @TempDir Path folder;
  private WorkspaceKit kit;

  @BeforeEach
  void workspace() {
    kit = new WorkspaceKit(folder);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '`',
      value = {
        "**/*.[ch] ~ src/a.c ~ true",
        "**/*.[ch] ~ src/a.o ~ false",
        "src/a[0-9].txt ~ src/a1.txt ~ true",
        "src/a[0-9].txt ~ src/ab.txt ~ false",
        "src/*.@(ts|js) ~ src/a.js ~ true",
        "src/*.@(ts|js) ~ src/a.tsx ~ false",
        "src/a{1..3}.txt ~ src/a2.txt ~ true",
        "src/a{1..3}.txt ~ src/a4.txt ~ false",
        "[!a]*.txt ~ b.txt ~ true",
        "[!a]*.txt ~ a.txt ~ false",
        "[^a-c].txt ~ d.txt ~ true",
        "[^a-c].txt ~ b.txt ~ false",
        "a[!x]b ~ a/b ~ false",
        "[[:digit:]]*.md ~ 01-intro.md ~ true",
        "[[:upper:]]*.md ~ readme.md ~ false",
        "[[:alpha:]_-]x ~ -x ~ true",
        "a[]b]c ~ a]c ~ true",
        "a[b-]c ~ a-c ~ true",
        "a[\\]]c ~ a]c ~ true",
        "a\\[1\\].txt ~ a[1].txt ~ true",
        "a\\[1\\].txt ~ a1.txt ~ false",
        "app/[id]/page.tsx ~ app/[id]/page.tsx ~ true",
        "app/[...slug]/*.tsx ~ app/[...slug]/page.tsx ~ true",
        "app/[[...slug]]/*.tsx ~ app/[[...slug]]/page.tsx ~ true",
        "app/[user-id]/page.tsx ~ app/[user-id]/page.tsx ~ true",
        "app/(shop)/*.tsx ~ app/(shop)/page.tsx ~ true",
        "a[b ~ a[b ~ true",
        "{a,b{c,d}}.x ~ bd.x ~ true",
        "{a,b{c,d}}.x ~ b.x ~ false",
        "{src,test/{unit,e2e}}/**/*.ts ~ test/e2e/a/b.ts ~ true",
        "x{,.min}.js ~ x.js ~ true",
        "x{,.min}.js ~ x.min.js ~ true",
        "*.{ts, tsx} ~ a.tsx ~ true",
        "{src/*.ts,*.md} ~ docs/a.md ~ true",
        "a{01..10..2}.txt ~ a05.txt ~ true",
        "a{01..10..2}.txt ~ a5.txt ~ false",
        "a{01..10..2}.txt ~ a04.txt ~ false",
        "a{3..1}.txt ~ a2.txt ~ true",
        "a{-1..1}.txt ~ a-1.txt ~ true",
        "{a..c}.txt ~ b.txt ~ true",
        "{a..e..2}.txt ~ b.txt ~ false",
        "{A..C}/x ~ B/x ~ true",
        "{x}.txt ~ x.txt ~ true",
        "{x}.txt ~ {x}.txt ~ true",
        "{{cookiecutter.name}}/* ~ {{cookiecutter.name}}/setup.py ~ true",
        "a\\{1\\}.txt ~ a{1}.txt ~ true",
        "*.+(ts|js) ~ a.tsjs ~ true",
        "*.+(ts|js) ~ a. ~ false",
        "a*(b|c).x ~ abcb.x ~ true",
        "a*(b|c).x ~ a.x ~ true",
        "a?(b).x ~ a.x ~ true",
        "a?(b).x ~ abb.x ~ false",
        "!(*.test).ts ~ src/a.ts ~ true",
        "!(*.test).ts ~ src/a.test.ts ~ false",
        "src/!(a|b).txt ~ src/c.txt ~ true",
        "src/!(a|b).txt ~ src/b.txt ~ false",
        "!(node_modules)/** ~ src/a ~ true",
        "!(node_modules)/** ~ node_modules/a ~ false",
        "!(a).!(b) ~ x.y ~ true",
        "!(a).!(b) ~ x.b ~ false",
        "*(copy).txt ~ my(copy).txt ~ true",
        "a@(b ~ a@(b ~ true",
        "@(src|test)/**/*.@(c|h) ~ test/x/a.h ~ true",
        "a@(x@(1|2)|y).t ~ ax2.t ~ true",
        "!*.ts ~ a.js ~ true",
        "!*.ts ~ src/a.ts ~ false",
        "!!*.ts ~ a.ts ~ true",
        "!!*.ts ~ a.js ~ false",
        "\\!a.txt ~ !a.txt ~ true",
        "src/**,!**/*.test.ts ~ src/a/b.ts ~ true",
        "src/**,!**/*.test.ts ~ src/a/b.test.ts ~ false",
        "*.ts *.tsx ~ a.tsx ~ true",
        "*.ts|*.tsx ~ a.ts ~ true",
        "my file.txt ~ a/my file.txt ~ true",
        "a|b.txt ~ a|b.txt ~ true",
        "*.ts;*.js ~ a.js ~ true",
        "[^/]*.ts ~ a.ts ~ true",
        "*.[tj]s?(x) ~ src/a.jsx ~ true",
        "**/?(*.)spec.ts ~ src/spec.ts ~ true",
        "**/+([0-9]).txt ~ a/12.txt ~ true",
        "'*.ts' ~ a.ts ~ true",
        "src/**.ts ~ src/a/b.ts ~ true",
        "src/**/ ~ src/a/b ~ true",
        "**/ ~ a/b ~ true",
        "a**/b ~ ab ~ false",
        "a/**/**/b ~ a/b ~ true",
        ".//src//*.ts ~ src/a.ts ~ true",
        "src/./*.ts ~ src/a.ts ~ true",
        "src\\main\\*.java ~ src/main/A.java ~ true",
        "src\\**\\*.java ~ src/a/b/A.java ~ true",
        "src/*.\\[ch\\] ~ src/a.[ch] ~ true",
        ".git* ~ .gitignore ~ true",
        "* ~ .env ~ true",
        "*/.config ~ a/.config ~ true",
        "*.MD ~ a.md ~ false",
        "[É-Ü]*.txt ~ Ökologie.txt ~ true",
        "?.txt ~ 😀.txt ~ true",
        "/src,/a,b/c ~ b/c ~ true",
      })
  void patternsMatchPaths(String pattern, String path, boolean expected) {
    assertThat(GlobPattern.of("pattern", pattern).matches(path)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"../src/*.ts", "a/../b", "../*", "{..,a}/x"})
  void patternThatLeavesTheDirectoryIsAnError(String pattern) {
    kit.file("src/a.ts", "");

    assertThat(kit.call("glob", "pattern", pattern, "path", "src"))
        .isEqualTo(
            ToolOutcome.error(
                "pattern: must not contain ..; name the directory where the search starts with path, and write the pattern relative to it"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"~/src/*.ts", "~", "~root/x", "$HOME/*.ts", "${PWD}/**", "C:\\src\\*.ts", "c:/x"})
  void patternOutsideTheWorkspaceIsAnError(String pattern) {
    var done = kit.call("glob", "pattern", pattern);

    assertThat(done.isError()).isTrue();
    assertThat(done.text())
        .startsWith("pattern: '")
        .contains("is outside the workspace, or not expanded; write the pattern relative to");
  }

  @Test
  void absolutePatternIsInsideTheWorkspaceOrAnError() {
    kit.file("src/a1.ts", "");
    kit.file("b.ts", "");

    assertThat(kit.call("glob", "pattern", folder + "/src/a[0-9].{ts,js}").text())
        .isEqualTo("src/a1.ts");
    assertThat(kit.call("glob", "pattern", folder.toString()).text()).isEqualTo("b.ts\nsrc/a1.ts");
    assertThat(kit.call("glob", "pattern", "!" + folder + "/src/**").text()).isEqualTo("b.ts");
    assertThat(kit.call("glob", "pattern", "/b.ts").text()).isEqualTo("b.ts");
    assertThat(kit.call("glob", "pattern", "/etc").text())
        .startsWith("pattern: begins with /, but there is no 'etc'");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      value = {
        "{1..5000} ~ pattern: {1..5000} has more than 1000 values",
        "{1..99}{1..99} ~ pattern: the braces stand for more than 1000 patterns; write fewer"
            + " alternatives",
        "!(a|!(b)) ~ pattern: has a !(…) within a !(…), which is not supported",
        "@(@(@(@(@(@(a)))))) ~ pattern: has too many nested (",
        "a{b,c ~ pattern: has a { without a matching }; write \\{ for the character",
      })
  void whatIsNotSupportedIsAnError(String pattern, String message) {
    assertThat(kit.call("glob", "pattern", pattern)).isEqualTo(ToolOutcome.error(message));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      value = {
        "src ~ (src is a directory: src/** matches the files in it.)",
        "^src/.*\\.ts$ ~ (The pattern looks like a regular expression: here, * stands for any"
            + " characters.)",
        ".*\\.tsx ~ (The pattern looks like a regular expression: here, * stands for any"
            + " characters.)",
      })
  void patternThatMeansSomethingElseIsExplained(String pattern, String hint) {
    kit.file("src/a.ts", "");

    assertThat(kit.call("glob", "pattern", pattern).text()).isEqualTo("No file matches.\n" + hint);
  }

  @Test
  void grepSelectsFilesWithTheSamePatterns() {
    kit.file("src/a.c", "x");
    kit.file("src/a.h", "x");
    kit.file("src/a.o", "x");

    assertThat(kit.call("grep", "pattern", "x", "glob", "*.[ch]").text())
        .isEqualTo("src/a.c\nsrc/a.h");
    assertThat(kit.call("grep", "pattern", "x", "glob", "src/!(a.o)").text())
        .isEqualTo("src/a.c\nsrc/a.h");
    assertThat(kit.call("grep", "pattern", "x", "glob", "../*.c").text())
        .startsWith("glob: must not contain ..;");
  }
}
