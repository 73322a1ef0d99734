package dev.errand.tool.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.tool.file.WorkspaceKit;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the files that searches skip with those that git ignores. */
@Timeout(60)
class IgnoreRulesTest {

  private static final List<String> FILES =
      List.of(
          "a.txt",
          "b.log",
          "keep.log",
          "#x",
          "!x",
          "a b ",
          "[x]",
          "x",
          "y",
          "build/out.o",
          "src/build/out.o",
          "src/a.txt",
          "src/b.log",
          "src/main/a.txt",
          "src/main/deep/er/a.txt",
          "docs/a.txt",
          "docs/old/a.txt",
          "docs/old/keep.txt",
          "foo/bar",
          "src/foo/bar",
          "src/foo/x/bar",
          "a1",
          "a2",
          "a-",
          "ab",
          "star*",
          "starry",
          "back\\slash",
          ".hidden/x");

  @TempDir Path folder;
  private WorkspaceKit kit;

  @BeforeEach
  void workspace() {
    kit = new WorkspaceKit(folder);
    FILES.forEach(file -> kit.file(file, ""));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "*.log",
        "*.log\n!keep.log",
        "build",
        "build/",
        "/build/",
        "/build",
        "src/build",
        "src/*",
        "src/**",
        "**/build",
        "**/a.txt",
        "src/**/a.txt",
        "src/**/bar",
        "foo/bar",
        "/foo/bar",
        "docs/*\n!docs/old/",
        "docs/\n!docs/old/keep.txt",
        "docs/old/*\n!keep.txt",
        "# nothing\n\n",
        "\\#x",
        "\\!x",
        "!x",
        "a b",
        "a b\\ ",
        "a b\\ \t",
        "x   ",
        "[x]",
        "\\[x\\]",
        "[xy]",
        "[!x]",
        "[^x]",
        "a[0-9]",
        "a[!0-9]",
        "a[[:digit:]]",
        "a[1-]",
        "a?",
        "star\\*",
        "star*",
        "*",
        "/*",
        "*/",
        "*\n!*/\n!*.txt",
        "**",
        "/**/",
        "a*t",
        "*a*",
        "foo/**/bar",
        "foo**bar",
        "s**",
        "[a",
        "a\\",
        "back\\\\slash",
        "/",
        "//",
        "src//build",
        "src/main/",
        "main/deep",
        "*.LOG",
        "x\r\ny\r",
        ".*",
        "src/*/bar",
        "src/*/*/bar",
        "deep/",
        "er/a.txt",
        "**/er/*",
        "?",
        "/?",
        "[]-]",
        "[x-]",
        "[[:foo]",
        "x[[:foo]",
        "[a[:b]",
        "[![:a]",
        "[[:x]",
        "[[:x",
        "[[:]",
        "[[::]]",
        "[[:no:]]",
        "[[:alpha:][:x]"
      })
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void rulesHaveTheSemanticsOfGit(String rules) throws Exception {
    kit.file(".gitignore", rules);

    assertThat(found()).as(rules).isEqualTo(notIgnoredByGit());
  }

  @Test
  void nearestFileTakesPrecedenceAndExcludeComesLast() throws Exception {
    kit.file(".gitignore", "*.log\n/src/a.txt\nfoo/\n");
    kit.file("src/.gitignore", "!b.log\n/main/deep\nbuild\n");
    kit.file("src/foo/.gitignore", "!bar\n");
    kit.file("docs/.gitignore", "!a.txt\n");
    git("init", "-q");
    kit.file(".git/info/exclude", "docs/a.txt\ndocs/old/\n!keep.log\n");

    assertThat(found())
        .isEqualTo(notIgnoredByGit())
        .contains("src/b.log", "docs/a.txt")
        .doesNotContain("b.log", "src/foo/bar", "docs/old/keep.txt");
  }

  @Test
  void ignoredDirectoryIsSearchedIfNamed() {
    kit.file(".gitignore", "build/\nsrc/main/**\n*.o\n");
    kit.file("build/out.txt", "needle");
    kit.file("src/main/a.txt", "needle");

    assertThat(kit.call("grep", "pattern", "needle").text())
        .isEqualTo(
            "No matches.\n(Files that .gitignore excludes were not searched. To search them, pass their directory as path.)");
    assertThat(kit.call("grep", "pattern", "needle", "path", "build").text())
        .isEqualTo("build/out.txt");
    assertThat(kit.call("grep", "pattern", "needle", "path", "src/main/a.txt").text())
        .isEqualTo("src/main/a.txt");
    assertThat(kit.call("glob", "pattern", "*", "path", "src/main/deep").text())
        .isEqualTo("src/main/deep/er/a.txt");
  }

  @Test
  void rulesOfParentDirectoriesApply() {
    kit.file(".gitignore", "/src/main/\n");

    assertThat(kit.call("glob", "pattern", "a.txt", "path", "src").text()).isEqualTo("src/a.txt");
  }

  @Test
  @Timeout(60)
  void pathologicalRulesAreFast() {
    kit.file(".gitignore", "*a*a*a*a*a*a*a*a*a*b\n**/".repeat(500) + "a/**/".repeat(190) + "b\n");
    kit.file("a".repeat(250), "");
    kit.file("a/".repeat(50) + "x", "");

    assertThat(kit.call("glob", "pattern", "x").text()).endsWith("x");
  }

  /** All of them together would need more memory than a node has. */
  @Test
  @Timeout(60)
  void rulesOfManyDirectoriesAreBounded() {
    for (int depth = 0; depth < 40; depth++) {
      kit.file("dd/".repeat(depth) + ".gitignore", "?\n".repeat(32_000));
    }
    kit.file("dd/".repeat(39) + "xx", "");

    assertThat(kit.call("glob", "pattern", "**/xx").text()).endsWith("xx");
  }

  @Test
  void ruleThatTheSizeLimitCutsIsNotUsed() {
    kit.file(".gitignore", "#" + "x".repeat(64 * 1024 - 3) + "\n*.log\n");

    assertThat(found()).contains("a.txt", "b.log");
  }

  private Set<String> found() {
    return kit.call("glob", "pattern", "**")
        .text()
        .lines()
        .filter(line -> !line.startsWith("No file") && !line.startsWith("("))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private Set<String> notIgnoredByGit() throws Exception {
    git("init", "-q");
    return new TreeSet<>(
            List.of(
                git(
                        "-c",
                        "core.excludesFile=/dev/null",
                        "ls-files",
                        "-z",
                        "-o",
                        "--exclude-standard")
                    .split("\0")))
        .stream().filter(file -> !file.isEmpty()).collect(Collectors.toCollection(TreeSet::new));
  }

  private String git(String... arguments) throws Exception {
    var command = new java.util.ArrayList<>(List.of("git"));
    command.addAll(List.of(arguments));
    var process = new ProcessBuilder(command).directory(folder.toFile()).start();
    var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isZero();
    return output;
  }
}
