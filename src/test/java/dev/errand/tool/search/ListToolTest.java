package dev.errand.tool.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.tool.ToolOutcome;
import dev.errand.tool.file.WorkspaceKit;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ListToolTest {

  @TempDir Path folder;
  private WorkspaceKit kit;

  @BeforeEach
  void workspace() {
    kit = new WorkspaceKit(folder);
  }

  @Test
  void entriesAreSortedAndMarked() {
    kit.file("src/main.c", "");
    kit.file("b.txt", "12345");
    kit.file(".hidden", "");

    assertThat(kit.call("list"))
        .isEqualTo(ToolOutcome.ok(".hidden (0 bytes)\nb.txt (5 bytes)\nsrc/"));
    assertThat(kit.call("list", "path", "src").text()).isEqualTo("main.c (0 bytes)");
    assertThat(kit.call("list", "path", ".").text()).startsWith(".hidden");
  }

  @Test
  void ignoredEntriesAreMarked() {
    kit.file(".gitignore", "target/\n*.log");
    kit.file("sub/a.log", "");
    kit.file("target/a", "");

    assertThat(kit.call("list").text())
        .isEqualTo(".gitignore (13 bytes)\nsub/\ntarget/ (ignored by git)");
    assertThat(kit.call("list", "path", "sub").text())
        .isEqualTo("a.log (0 bytes) (ignored by git)");
    assertThat(kit.call("list", "path", "target").text()).isEqualTo("a (0 bytes)");
  }

  @Test
  void emptyDirectoryIsReported() {
    assertThat(kit.call("list").text()).isEqualTo("(. is an empty directory)");
  }

  @Test
  void entriesAfterTheFirstThousandAreCounted() throws Exception {
    for (int i = 0; i < 1_007; i++) {
      Files.createFile(folder.resolve("file-" + i));
    }

    assertThat(kit.call("list").text())
        .endsWith("(and 7 more entries; use glob to narrow)")
        .hasLineCount(1_001);
  }

  @Test
  void fileIsAnError() {
    kit.file("a.txt", "");

    assertThat(kit.call("list", "path", "a.txt"))
        .isEqualTo(ToolOutcome.error("a.txt is a file, not a directory"));
    assertThat(kit.call("list", "path", "a.txt/b").text())
        .isEqualTo("a.txt/b does not exist: a part of the path is not a directory");
  }

  @Test
  void unusualNamesAreOnlyNames() {
    kit.file("-rf", "one");
    kit.file("a\nb.txt", "two");
    kit.file("\u202Egpj.exe", "three");

    assertThat(kit.call("read", "file_path", "-rf").text()).endsWith("one");
    assertThat(kit.call("read", "file_path", "a\nb.txt").text()).endsWith("two");
    assertThat(kit.call("list").text())
        .isEqualTo("-rf (3 bytes)\na\\u000ab.txt (3 bytes)\n\\u202egpj.exe (5 bytes)");
  }
}
