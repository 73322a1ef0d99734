package dev.errand.tool.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.errand.tool.ToolFailure;
import dev.errand.tool.ToolOutcome;
import dev.errand.tool.file.Workspace;
import dev.errand.tool.file.WorkspaceKit;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class GrepToolTest {

  @TempDir Path folder;
  private WorkspaceKit kit;

  @BeforeEach
  void workspace() {
    kit = new WorkspaceKit(folder);
  }

  @Test
  void filesAreSortedByModificationTimeAndPath() throws IOException {
    kit.file("b.txt", "flight");
    kit.file("a/z.txt", "a flight\nanother flight");
    kit.file("c.txt", "train");
    var newest = kit.file("d.txt", "flight");
    Files.setLastModifiedTime(newest, FileTime.fromMillis(1));

    assertThat(kit.call("grep", "pattern", "flight"))
        .isEqualTo(ToolOutcome.ok("d.txt\na/z.txt\nb.txt"));
    assertThat(kit.call("grep", "pattern", "flight", "head_limit", 1).text())
        .isEqualTo("d.txt\n(There are more; narrow the search or raise head_limit.)");
  }

  @Test
  void matchingLinesHavePathAndNumber() {
    kit.file("a.txt", "one\ntwo\r\nthree");
    kit.file("b/c.txt", "two");

    assertThat(kit.call("grep", "pattern", "tw.$", "output_mode", "content").text())
        .isEqualTo("a.txt:2:two\nb/c.txt:1:two");
  }

  @Test
  void contextIsMarkedAndGroupsAreSeparated() {
    kit.file("a.txt", "1\n2\nX\n4\n5\n6\nX\n8\nX\n");
    kit.file("b.txt", "X\n2");

    var found = kit.call("grep", "pattern", "X", "output_mode", "content", "context", 1);

    assertThat(found.text())
        .isEqualTo(
            """
            a.txt-2-2
            a.txt:3:X
            a.txt-4-4
            --
            a.txt-6-6
            a.txt:7:X
            a.txt-8-8
            a.txt:9:X
            --
            b.txt:1:X
            b.txt-2-2\
            """);
  }

  @Test
  void adjacentGroupsAreNotSeparated() {
    kit.file("a.txt", "X\n2\n3\nX\n");

    assertThat(kit.call("grep", "pattern", "X", "output_mode", "content", "context", 1).text())
        .isEqualTo("a.txt:1:X\na.txt-2-2\na.txt-3-3\na.txt:4:X");
  }

  @Test
  void matchingLinesAreCountedPerFile() {
    kit.file("a.txt", "x x\nx\ny");
    kit.file("b.txt", "y");

    assertThat(kit.call("grep", "pattern", "x", "output_mode", "count").text())
        .isEqualTo("a.txt:2");
  }

  @Test
  void caseIsIgnoredOnRequest() {
    kit.file("a.txt", "Flight");

    assertThat(kit.call("grep", "pattern", "flight").text()).isEqualTo("No matches.");
    assertThat(kit.call("grep", "pattern", "flight", "case_insensitive", true).text())
        .isEqualTo("a.txt");
  }

  @Test
  void pathAndGlobNarrowTheSearch() {
    kit.file("src/a.java", "x");
    kit.file("src/a.txt", "x");
    kit.file("test/a.java", "x");

    assertThat(kit.call("grep", "pattern", "x", "path", "src", "glob", "*.java").text())
        .isEqualTo("src/a.java");
    assertThat(kit.call("grep", "pattern", "x", "path", "src/a.txt").text()).isEqualTo("src/a.txt");
  }

  @Test
  void globExcludesFiles() {
    kit.file("a.java", "x");
    kit.file("b.min.js", "x");
    kit.file("c.js", "x");
    kit.file("lib/d.js", "x");

    assertThat(kit.call("grep", "pattern", "x", "glob", "!*.js").text()).isEqualTo("a.java");
    assertThat(kit.call("grep", "pattern", "x", "glob", "*.js, !*.min.js, !lib/").text())
        .isEqualTo("c.js");
    assertThat(kit.call("grep", "pattern", "x", "glob", folder + "/lib/").text())
        .isEqualTo("lib/d.js");
    assertThat(kit.call("grep", "pattern", "x", "glob", "/usr/lib/*.js").text())
        .startsWith("glob: begins with /, but there is no 'usr' in the directory");
  }

  @Test
  void nameOfAFileNeedNotBeText() throws Exception {
    var shell =
        new ProcessBuilder("sh", "-c", "printf needle > \"$(printf '\\374.txt')\"")
            .directory(folder.toFile())
            .start();
    assumeThat(shell.waitFor()).as("the file system may require UTF-8").isZero();

    assertThat(kit.call("grep", "pattern", "needle").text()).isEqualTo("\uFFFD.txt");
  }

  @Test
  void fileThatDoesNotFitIsReported() {
    var lines = new ArrayList<>(Collections.nCopies(499, "x".repeat(99)));
    lines.add("x".repeat(100));
    var matches = new RecentMatches(1_000, "");

    matches.add(new RecentMatches.FileMatches(FileTime.fromMillis(2), "new", lines));
    assertThat(matches.found().isFull()).isFalse();
    matches.add(new RecentMatches.FileMatches(FileTime.fromMillis(1), "old", List.of("x")));

    assertThat(matches.found().isFull()).isTrue();
  }

  @Test
  void onlyTheMostRecentOfManyFilesAreReturned() throws IOException {
    var expected = new ArrayList<String>();
    for (int i = 0; i < 1_000; i++) {
      var path = "f%d/%03d.txt".formatted(i % 7, i);
      Files.setLastModifiedTime(kit.file(path, "x\nx"), FileTime.fromMillis((i * 389) % 1_000));
      expected.add("%03d %s:1:x".formatted(999 - (i * 389) % 1_000, path));
      expected.add("%03d %s:2:x".formatted(999 - (i * 389) % 1_000, path));
    }
    var newest = expected.stream().sorted().limit(25).map(line -> line.substring(4)).toList();

    var found = kit.call("grep", "pattern", "x", "output_mode", "content", "head_limit", 25);

    assertThat(found.text().lines().limit(25)).containsExactlyElementsOf(newest);
  }

  @Test
  void textInOtherEncodingsIsSearched() {
    kit.file("utf16.txt", "\uFEFFeine Prüfung".getBytes(StandardCharsets.UTF_16LE));
    kit.file("latin1.txt", "eine Prüfung".getBytes(StandardCharsets.ISO_8859_1));

    assertThat(kit.call("grep", "pattern", "eine Prüf").text()).isEqualTo("latin1.txt\nutf16.txt");
  }

  @Test
  void binaryFilesAndGitDirectoriesAreSkipped() {
    kit.file("a.bin", new byte[] {'x', 0});
    kit.file(".git/config", "x");

    assertThat(kit.call("grep", "pattern", "x").text()).isEqualTo("No matches.");
  }

  @Test
  void tooLargeFilesAreNamed() {
    kit.file("a.txt", "x");
    kit.file("large.txt", "x".repeat(20 * 1024 * 1024));

    assertThat(kit.call("grep", "pattern", "x").text())
        .isEqualTo("a.txt\n(Not searched, larger than 10 MB: large.txt)");
  }

  @Test
  void headLimitIsReported() {
    kit.file("a.txt", "x\n".repeat(1_000));

    assertThat(kit.call("grep", "pattern", "x", "output_mode", "content").text())
        .hasLineCount(251)
        .endsWith("\n(There are more; narrow the search or raise head_limit.)");
  }

  @Test
  void resultSizeIsLimited() {
    kit.file("a.txt", ("x".repeat(100_000) + "\n").repeat(100));
    kit.file("b.txt", "x\n".repeat(1_000_000));

    assertThat(
            kit.call("grep", "pattern", "x", "output_mode", "content", "head_limit", 10_000).text())
        .hasSizeBetween(49_000, 51_000)
        .contains("… [cut: the line has 100000 characters]");
  }

  @Test
  void interruptedSearchStops() {
    kit.file("a.txt", "a".repeat(1_000_000));

    Thread.currentThread().interrupt();
    var done = kit.call("grep", "pattern", "(x+x+)+y");

    assertThat(Thread.interrupted()).isTrue();
    assertThat(done.isError()).isTrue();
    assertThat(done.text()).contains("interrupted");
  }

  @Test
  void searchWithoutTimeLeftReportsThatItIsIncomplete() throws IOException {
    kit.file("a.txt", "flight");
    var workspace = Workspace.at(folder, WorkspaceKit.NO_RULES);
    var match = LineMatch.of("flight", false, new CancelFlag(Duration.ZERO));
    var query =
        new GrepSearch.Query(
            match, _ -> true, new GrepReport.MatchingFiles(match), new RecentMatches(10, ""));

    assertThat(new GrepSearch(workspace, query).search(workspace.findExisting("")))
        .startsWith("No matches.\n(Not everything was searched: ");
    assertThat(new GrepSearch(workspace, query).search(workspace.findExisting("a.txt")))
        .startsWith("No matches.\n(Not everything was searched: ");
  }

  @Test
  void interruptDuringASearchStopsItsThreads() throws Exception {
    kit.file("a.txt", "flight");
    var workspace = Workspace.at(folder, WorkspaceKit.NO_RULES);
    var cancel = new CancelFlag();
    var begun = new CountDownLatch(1);
    var walk =
        new TreeWalk(
            workspace,
            cancel,
            _ -> {
              begun.countDown();
              while (!cancel.isCancelled()) {
                Thread.onSpinWait();
              }
            });
    var outcome = new CompletableFuture<ToolFailure>();
    var caller =
        Thread.ofPlatform()
            .start(() -> {
              try {
                walk.walk(workspace.findFolder(""));
              } catch (ToolFailure interrupted) {
                outcome.complete(interrupted);
              } catch (IOException fault) {
                outcome.completeExceptionally(fault);
              }
            });

    begun.await();
    caller.interrupt();

    assertThat(outcome.get()).hasMessageContaining("interrupted");
  }
}
