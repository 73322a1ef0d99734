package dev.errand.tool.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.tool.ToolOutcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WriteToolTest {

  @TempDir Path folder;
  private WorkspaceKit kit;

  @BeforeEach
  void workspace() {
    kit = new WorkspaceKit(folder);
  }

  @Test
  void fileIsCreatedWithItsDirectories() {
    var write = kit.call("write", "file_path", "a/b/c.txt", "content", "grüß\n");

    assertThat(write).isEqualTo(ToolOutcome.ok("Created a/b/c.txt (7 bytes)."));
    assertThat(kit.content("a/b/c.txt")).isEqualTo("grüß\n");
  }

  @Test
  void fileIsReplacedWithoutLeftovers() {
    kit.file("a.txt", "old and longer");
    kit.call("read", "file_path", "a.txt");

    var write = kit.call("write", "file_path", "a.txt", "content", "new");

    assertThat(write).isEqualTo(ToolOutcome.ok("Replaced the content of a.txt (3 bytes)."));
    assertThat(kit.content("a.txt")).isEqualTo("new");
    assertThat(folder.toFile().list()).containsExactly("a.txt");
  }

  @Test
  void writeIsIdempotent() {
    kit.call("write", "file_path", "a.txt", "content", "new");
    kit.call("write", "file_path", "a.txt", "content", "new");

    assertThat(kit.content("a.txt")).isEqualTo("new");
  }

  @Test
  void permissionsAreKept() throws IOException {
    var permissions = PosixFilePermissions.fromString("rwxr-x---");
    Files.setPosixFilePermissions(kit.file("run.sh", "old"), permissions);
    kit.call("read", "file_path", "run.sh");

    kit.call("write", "file_path", "run.sh", "content", "new");

    assertThat(Files.getPosixFilePermissions(folder.resolve("run.sh"))).isEqualTo(permissions);
  }

  @Test
  void linkInsideTheWorkspaceRemainsALink() {
    kit.file("real.txt", "old");
    kit.link("link.txt", "real.txt");
    kit.call("read", "file_path", "real.txt");

    kit.call("write", "file_path", "link.txt", "content", "new");

    assertThat(kit.content("real.txt")).isEqualTo("new");
    assertThat(folder.resolve("link.txt")).isSymbolicLink();
  }

  @Test
  void contentMayBeEmpty() {
    assertThat(kit.call("write", "file_path", "a.txt", "content", "").isError()).isFalse();
    assertThat(kit.content("a.txt")).isEmpty();
  }

  @Test
  void tooLargeContentIsRefused() {
    var write = kit.call("write", "file_path", "a/b.txt", "content", "é".repeat(2_650_000));

    assertThat(write)
        .isEqualTo(ToolOutcome.error("a/b.txt would have 5300000 bytes; the maximum is 5242880"));
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void fileAsPartOfThePathIsAnError() {
    kit.file("a.txt", "");

    assertThat(kit.call("write", "file_path", "a.txt/b.txt", "content", "x"))
        .isEqualTo(
            ToolOutcome.error("a.txt/b.txt does not exist: a part of the path is not a directory"));
  }
}
