package dev.errand.tool.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.tool.ToolOutcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that no file tool may reach through any path. */
@Timeout(120)
class HostilePathTest {

  private static final String SECRET = "the neighbour's secret";

  @TempDir Path folder;
  private WorkspaceKit kit;

  @BeforeEach
  void workspaceAndItsNeighbour() throws IOException {
    kit = new WorkspaceKit(Files.createDirectory(folder.resolve("workspace")));
    Files.createDirectory(folder.resolve("workspace-evil"));
    Files.writeString(folder.resolve("workspace-evil/secret.txt"), SECRET);
    kit.file("a/inside.txt", "inside");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "../../etc/passwd",
        "/etc/passwd",
        "a/../../workspace-evil/secret.txt",
        "../workspace-evil/secret.txt",
        "..%2fworkspace-evil/secret.txt",
        "....//workspace-evil/secret.txt",
        "C:\\secret.txt",
        "a\0.txt",
        "/dev/zero",
        "/proc/self/root/etc/passwd",
        "/proc/self/environ",
        "/proc/self/fd/0"
      })
  void pathsThatLeadOutsideAreRefused(String path) throws IOException {
    assertRefusedByAll(path);

    assertThat(folder.toFile().list()).containsExactlyInAnyOrder("workspace", "workspace-evil");
    assertThat(folder.resolve("workspace-evil/secret.txt")).hasContent(SECRET);
  }

  @Test
  void directoryWithTheWorkspaceNameAsPrefixIsOutside() {
    assertRefusedByAll(kit.root() + "-evil/secret.txt");
    assertRefusedByAll(kit.root() + "/../workspace-evil/secret.txt");
  }

  @Test
  void tooLongPathIsRefused() {
    assertRefusedByAll("a/".repeat(2_500));
    assertRefusedByAll("n".repeat(300));
    assertThat(kit.call("write", "file_path", "a/".repeat(2_500) + "x", "content", "").text())
        .endsWith("must have at most 4096 characters");
    assertThat(kit.root().toFile().list()).containsExactly("a");
    assertThat(kit.root().resolve("a").toFile().list()).containsExactly("inside.txt");
  }

  @Test
  void linksThatLeadOutsideAreRefused() {
    kit.link("root", "/");
    kit.link("neighbour", "../workspace-evil");
    kit.link("file", "../workspace-evil/secret.txt");
    kit.link("self", "/proc/self/root");
    kit.link("chain1", "chain2");
    kit.link("chain2", "a/../../workspace-evil");

    assertRefusedByAll("root/etc/passwd");
    assertRefusedByAll("neighbour/secret.txt");
    assertRefusedByAll("file");
    assertRefusedByAll("self/etc/passwd");
    assertRefusedByAll("chain1/secret.txt");
  }

  @Test
  void refusalDoesNotRevealWhetherAFileOutsideExists() {
    kit.link("there", "../workspace-evil/secret.txt");
    kit.link("gone", "../workspace-evil/nothing.txt");

    var there = kit.call("read", "file_path", "there").text();
    var gone = kit.call("read", "file_path", "gone").text();

    assertThat(there.replace("there", "gone")).isEqualTo(gone).doesNotContain("evil");
  }

  @Test
  void cycleOfLinksIsRefused() {
    kit.link("one", "two");
    kit.link("two", "one");

    assertRefusedByAll("one");
  }

  @Test
  void linksThatStayInsideAreFollowed() {
    kit.link("relative", "a");
    kit.link("absolute", kit.root().resolve("a").toString());

    assertThat(kit.call("read", "file_path", "relative/inside.txt").text()).endsWith("inside");
    assertThat(kit.call("read", "file_path", "absolute/inside.txt").text()).endsWith("inside");
  }

  @Test
  void danglingLinkIsAMissingFile() {
    kit.link("dangling", "a/nothing.txt");

    assertThat(kit.call("read", "file_path", "dangling"))
        .isEqualTo(ToolOutcome.error("dangling does not exist"));
  }

  @Test
  void dataOfTheServiceIsInaccessible() {
    kit.file(".errand/postgres/base/1", SECRET);
    kit.link("shortcut", ".errand/postgres");

    assertRefusedByAll(".errand/postgres/base/1");
    assertRefusedByAll("shortcut/base/1");
    assertThat(kit.call("grep", "pattern", "secret", "output_mode", "content").text())
        .isEqualTo("No matches.");
    assertThat(kit.call("glob", "pattern", "**").text()).isEqualTo("a/inside.txt");
  }

  @Test
  void searchesDoNotFollowLinks() {
    kit.link("neighbour", "../workspace-evil");
    kit.link("secret.txt", "../workspace-evil/secret.txt");

    assertThat(kit.call("grep", "pattern", "secret", "output_mode", "content").text())
        .isEqualTo("No matches.");
    assertThat(kit.call("glob", "pattern", "**").text()).isEqualTo("a/inside.txt");
    assertThat(kit.call("list").text())
        .isEqualTo("a/\nneighbour (symbolic link)\nsecret.txt (symbolic link)");
  }

  @Test
  void fifoIsNeverOpened() throws Exception {
    fifo("a/fifo");

    assertRefusedByAll("a/fifo");
    assertThat(kit.call("grep", "pattern", "inside").text()).isEqualTo("a/inside.txt");
    assertThat(kit.call("list", "path", "a").text())
        .isEqualTo("fifo (special)\ninside.txt (6 bytes)");
  }

  @Test
  void linkToADeviceIsNeverOpened() {
    kit.link("zero", "/dev/zero");

    assertRefusedByAll("zero");
    assertThat(kit.call("grep", "pattern", "inside").text()).isEqualTo("a/inside.txt");
  }

  @Test
  void gitignoreOutsideOrThroughALinkIsNotRead() throws IOException {
    Files.writeString(folder.resolve(".gitignore"), "*");
    Files.writeString(folder.resolve("workspace-evil/ignore"), "*");
    kit.link(".gitignore", "../workspace-evil/ignore");

    assertThat(kit.call("glob", "pattern", "**").text()).isEqualTo("a/inside.txt");
  }

  @Test
  void fileWithTwoHardLinksIsNotChanged() throws IOException {
    Files.createLink(kit.root().resolve("twin.txt"), folder.resolve("workspace-evil/secret.txt"));

    var write = kit.call("write", "file_path", "twin.txt", "content", "x");
    var edit = kit.call("edit", "file_path", "twin.txt", "old_string", "secret", "new_string", "x");

    assertThat(List.of(write, edit))
        .allMatch(done -> done.text().contains("more than one hard link"));
    assertThat(folder.resolve("workspace-evil/secret.txt")).hasContent(SECRET);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "../escaped.txt",
        "a/../../escaped.txt",
        "self/escaped.txt",
        "/proc/self/root/escaped-by-a-test.txt",
        "/dev/zero",
        "zero",
        "fifo",
        "a\0escaped.txt",
        "escaped\0",
        "/escaped-by-a-test.txt",
        "neighbour/escaped.txt",
        "dangling",
        "neighbour/made/escaped.txt",
        ".git/hooks/pre-commit",
        "a/.GIT/config",
        ".",
        "a"
      })
  void nothingIsWrittenOutsideOrIntoGit(String path) throws Exception {
    kit.link("neighbour", "../workspace-evil");
    kit.link("dangling", "../workspace-evil/escaped.txt");
    kit.link("self", "/proc/self/root");
    kit.link("zero", "/dev/zero");
    fifo("fifo");

    assertThat(kit.call("write", "file_path", path, "content", "x").isError()).isTrue();

    assertThat(folder).isDirectoryNotContaining("glob:**escaped*");
    assertThat(folder.resolve("workspace-evil")).isDirectoryContaining("glob:**secret.txt");
    assertThat(folder.resolve("workspace-evil").toFile().list()).hasSize(1);
    assertThat(kit.root().resolve(".git")).doesNotExist();
  }

  private void fifo(String path) throws Exception {
    var made = new ProcessBuilder("mkfifo", kit.root().resolve(path).toString()).start();
    assertThat(made.waitFor(60, TimeUnit.SECONDS)).isTrue();
  }

  private void assertRefusedByAll(String path) {
    assertThat(
            List.of(
                kit.call("read", "file_path", path),
                kit.call("list", "path", path),
                kit.call("glob", "pattern", "**", "path", path),
                kit.call("grep", "pattern", ".", "path", path),
                kit.call("edit", "file_path", path, "old_string", "e", "new_string", "x")))
        .allSatisfy(done -> {
          assertThat(done.isError()).isTrue();
          assertThat(done.text()).doesNotContain(SECRET, "root:", "Exception");
        });
  }
}
