package dev.errand.tool.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.errand.tool.ToolOutcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which files write and edit may change, and the effect of a repeated call. */
class FileChangeTest {

  private static final String UNREAD =
      "a.txt exists but was not read in this session; read it before you change it";

  @TempDir Path folder;
  private WorkspaceKit kit;

  @BeforeEach
  void workspace() {
    kit = new WorkspaceKit(folder);
    kit.file("a.txt", "one\ntwo\n");
  }

  @Test
  void unreadFileIsNotChanged() {
    assertThat(edit("1.0", "two", "2")).isEqualTo(ToolOutcome.error(UNREAD));
    assertThat(write("2.0", "new")).isEqualTo(ToolOutcome.error(UNREAD));
    assertThat(kit.content("a.txt")).isEqualTo("one\ntwo\n");
  }

  @Test
  void readingPartOfAFileIsSufficient() {
    kit.call("read", "file_path", "./a.txt", "limit", 1);

    assertThat(edit("1.0", "two", "2").isError()).isFalse();
  }

  @Test
  void fileChangedAfterTheReadIsNotChanged() {
    kit.call("read", "file_path", "a.txt");
    kit.file("a.txt", "two of another process");

    assertThat(edit("1.0", "two", "2"))
        .isEqualTo(ToolOutcome.error("a.txt has changed since you read it; read it again"));
    assertThat(write("2.0", "new").isError()).isTrue();
    assertThat(kit.content("a.txt")).isEqualTo("two of another process");
  }

  @Test
  void ownChangeNeedsNoRead() {
    kit.call("write", "file_path", "b.txt", "content", "one");

    var edit = kit.call("edit", "file_path", "b.txt", "old_string", "one", "new_string", "two");
    var write = kit.call("write", "file_path", "b.txt", "content", "three");

    assertThat(List.of(edit, write)).noneMatch(ToolOutcome.Done::isError);
    assertThat(kit.content("b.txt")).isEqualTo("three");
  }

  @Test
  void concurrentEditsOfOneFileAreAllApplied() throws Exception {
    var lines = IntStream.range(100, 150).mapToObj(i -> "old" + i + "\n").toList();
    kit.file("a.txt", String.join("", lines));
    kit.call("read", "file_path", "a.txt");

    try (var threads = Executors.newFixedThreadPool(4)) {
      var edits =
          IntStream.range(100, 150)
              .<Callable<ToolOutcome.Done>>mapToObj(i -> () -> edit("1." + i, "old" + i, "new" + i))
              .toList();
      for (var edit : threads.invokeAll(edits)) {
        assertThat(edit.get().isError()).isFalse();
      }
    }

    assertThat(kit.content("a.txt")).doesNotContain("old").hasLineCount(50);
  }

  @Test
  void callThatCrashedBeforeTheChangeIsRepeated() {
    kit.call("read", "file_path", "a.txt");
    kit.memory().crashAfterNextPlan();
    assertThatThrownBy(() -> edit("1.0", "two", "2")).isInstanceOf(RememberedFiles.Crash.class);
    assertThat(kit.content("a.txt")).isEqualTo("one\ntwo\n");

    assertThat(edit("1.0", "two", "2")).isEqualTo(ToolOutcome.ok("Edited a.txt."));
    assertThat(kit.content("a.txt")).isEqualTo("one\n2\n");
  }

  @Test
  void callThatCrashedAfterTheChangeIsRecognizedAsDone() {
    kit.call("read", "file_path", "a.txt");
    kit.memory().crashAfterNextChange();
    assertThatThrownBy(() -> edit("1.0", "two", "two two"))
        .isInstanceOf(RememberedFiles.Crash.class);

    assertThat(edit("1.0", "two", "two two").text())
        .startsWith("a.txt already has the new content");
    assertThat(kit.content("a.txt")).isEqualTo("one\ntwo two\n");
    assertThat(edit("2.0", "two two", "3").isError()).isFalse();
  }

  @Test
  void newFileOfACrashedCallIsRecognizedAsDone() {
    kit.memory().crashAfterNextChange();
    assertThatThrownBy(() -> kit.callAs("1.0", "write", "file_path", "b/c", "content", "x"))
        .isInstanceOf(RememberedFiles.Crash.class);

    assertThat(kit.callAs("1.0", "write", "file_path", "b/c", "content", "x").isError()).isFalse();
    assertThat(kit.content("b/c")).isEqualTo("x");
  }

  @Test
  void crashedCallIsAConflictIfTheFileWasChangedInTheMeantime() {
    kit.call("read", "file_path", "a.txt");
    kit.memory().crashAfterNextPlan();
    assertThatThrownBy(() -> write("1.0", "new")).isInstanceOf(RememberedFiles.Crash.class);
    kit.file("a.txt", "of another process");

    assertThat(write("1.0", "new").text()).startsWith("a.txt was changed by another process");
    assertThat(kit.content("a.txt")).isEqualTo("of another process");
  }

  @Test
  void failedChangeLeavesNoFileBehind() throws Exception {
    kit.call("read", "file_path", "a.txt");
    var workspace = Workspace.at(folder, WorkspaceKit.NO_RULES);
    var file = workspace.findFile("a.txt");

    assertThatThrownBy(
            () -> {
              try (var open = workspace.openFolder(file.folder())) {
                open.replacement(file.name()).put(new byte[10], () -> false);
              }
            })
        .hasMessageContaining("was changed in the meantime");

    assertThat(kit.content("a.txt")).isEqualTo("one\ntwo\n");
    try (var entries = Files.list(folder)) {
      assertThat(entries).hasSize(1);
    }
  }

  private ToolOutcome.Done edit(String callId, String oldText, String newText) {
    return kit.callAs(
        callId, "edit", "file_path", "a.txt", "old_string", oldText, "new_string", newText);
  }

  private ToolOutcome.Done write(String callId, String content) {
    return kit.callAs(callId, "write", "file_path", "a.txt", "content", content);
  }
}
