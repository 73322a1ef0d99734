package dev.errand.tool.patch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.errand.permission.Permissions;
import dev.errand.permission.Rule;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Patches that git made, applied to a workspace that may have changed. */
class PatchApplicationTest {

  private static final String TEXT = numbered(1, 20);

  @TempDir Path folder;
  private PatchKit kit;

  @BeforeEach
  void workspace() throws Exception {
    kit = new PatchKit(folder);
    kit.file("a.txt", TEXT);
  }

  private static String numbered(int from, int to) {
    return IntStream.rangeClosed(from, to)
        .mapToObj(i -> "line " + i + "\n")
        .collect(Collectors.joining());
  }

  @Test
  void everyKindOfChangeIsMade() throws Exception {
    var random = new Random(1);
    var bytes = new byte[70_000];
    random.nextBytes(bytes);
    kit.file("data.bin", bytes);
    kit.file("gone/only.txt", "bye\n");
    kit.file("crlf.txt", "one\r\ntwo\r\n");
    kit.file("no end", "one\ntwo");
    kit.file("tab\tand \"quote\".txt", "x\n");
    kit.file("ünïcödé/datei…Å.txt", "ä\n");
    kit.file("latin1.txt", new byte[] {'a', (byte) 0xe4, '\n'});
    kit.file("run.sh", "#!/bin/sh\n");
    kit.file("move me.txt", TEXT + "moved\n");
    kit.file("empty.txt", "");
    kit.copy();
    kit.child("a.txt", TEXT.replace("line 7\n", "line seven\n").replace("line 20\n", ""));
    bytes[35_000]++;
    kit.child("data.bin", bytes);
    kit.child("new.bin", new byte[] {0, 1, 2, (byte) 255});
    Files.delete(kit.inCopy("gone/only.txt"));
    kit.child("crlf.txt", "one\r\n2\r\n");
    kit.child("no end", "one\ntwo\nthree");
    kit.child("tab\tand \"quote\".txt", "y\n");
    kit.child("ünïcödé/datei…Å.txt", "ö\n");
    kit.child("latin1.txt", new byte[] {'b', (byte) 0xe4, '\n'});
    assertThat(kit.inCopy("run.sh").toFile().setExecutable(true)).isTrue();
    kit.child("deep/new/file.txt", "new");
    Files.move(kit.inCopy("move me.txt"), kit.inCopy("moved.txt"));
    Files.delete(kit.inCopy("empty.txt"));
    kit.child("also empty.txt", "");
    kit.child("diff --git a x.txt", "--- a/x\n+++ b/y\n@@ -1 +1 @@\n");

    for (var renames : List.of("-M", "--no-renames")) {
      var patch = kit.patch(renames);
      var before = kit.tree();
      assertThat(kit.check(patch)).isInstanceOf(PatchOutcome.Applied.class);
      assertThat(kit.tree()).isEqualTo(before);

      assertThat(kit.apply(patch)).isInstanceOf(PatchOutcome.Applied.class);
      assertThat(kit.tree()).isEqualTo(kit.childTree());
      assertThat(kit.workspace.resolve("gone")).doesNotExist();
      assertThat(kit.apply(patch)).isEqualTo(new PatchOutcome.AlreadyApplied(List.of()));
      kit.forget();
      if (renames.equals("-M")) {
        restore(before);
        kit.forget();
      } else {
        assertThat(kit.apply(patch)).isEqualTo(new PatchOutcome.AlreadyApplied(List.of()));
      }
    }
  }

  private void restore(Map<String, String> tree) throws IOException {
    for (var path : kit.tree().keySet()) {
      Files.delete(kit.workspace.resolve(path));
    }
    for (var file : tree.entrySet()) {
      var content = file.getValue().replaceFirst("^(true|false)", "");
      kit.file(file.getKey(), content.getBytes(StandardCharsets.ISO_8859_1));
    }
  }

  @Test
  void conflictInAnotherEncodingIsReadable() throws Exception {
    kit.file("a.txt", "eine grüne Tür\r\n".getBytes(StandardCharsets.ISO_8859_1));
    kit.copy();
    kit.child("a.txt", "eine rötliche Tür\r\n".getBytes(StandardCharsets.ISO_8859_1));
    var patch = kit.patch();
    kit.file("a.txt", "eine blaue Tür\r\n".getBytes(StandardCharsets.ISO_8859_1));

    assertThat(kit.apply(patch))
        .isInstanceOfSatisfying(
            PatchOutcome.Conflicts.class,
            conflicts ->
                assertThat(conflicts.toString()).contains("-eine grüne Tür", "+eine rötliche Tür"));
    assertThat(kit.tree()).containsEntry("a.txt", "falseeine blaue Tür\r\n");
  }

  @Test
  void changesOfTwoChildrenAtDifferentPlacesAreMerged() throws Exception {
    var first = childReplaces("line 2\n", "TWO\nand more\n");
    var second = childReplaces("line 15\n", "FIFTEEN\n");
    var near = childReplaces("line 4\n", "FOUR\n");

    assertThat(kit.apply(first)).isInstanceOf(PatchOutcome.Applied.class);
    kit.forget();
    assertThat(kit.apply(second)).isInstanceOf(PatchOutcome.Applied.class);
    kit.forget();
    assertThat(kit.apply(near)).isInstanceOf(PatchOutcome.Applied.class);

    assertThat(kit.content("a.txt"))
        .isEqualTo(
            TEXT.replace("line 2\n", "TWO\nand more\n")
                .replace("line 15\n", "FIFTEEN\n")
                .replace("line 4\n", "FOUR\n"));
  }

  @Test
  void changesOfTheSamePlaceConflictAndNothingIsChanged() throws Exception {
    kit.file("b.txt", "b\n");
    kit.copy();
    kit.child("a.txt", TEXT.replace("line 9\n", "NINE\n"));
    kit.child("b.txt", "changed\n");
    kit.child("c.txt", "new\n");
    var patch = kit.patch();
    kit.file("a.txt", TEXT.replace("line 9\n", "nine\n"));
    var before = kit.tree();

    for (var outcome : List.of(kit.check(patch), kit.apply(patch))) {
      assertThat(outcome).isInstanceOf(PatchOutcome.Conflicts.class);
      var conflicts = ((PatchOutcome.Conflicts) outcome).files();
      assertThat(conflicts).hasSize(1);
      assertThat(conflicts.getFirst().path()).isEqualTo("a.txt");
      assertThat(conflicts.getFirst().hunks().getFirst())
          .startsWith("line 6:\n line 6\n")
          .contains("-line 9\n+NINE\n");
      assertThat(kit.tree()).isEqualTo(before);
    }
  }

  @Test
  void conflictNamesEachFileAndItsReason() throws Exception {
    kit.file("deleted by child.txt", "old\n");
    kit.file("deleted here.txt", "old\n");
    kit.file("binary", new byte[] {0, 1});
    kit.copy();
    Files.delete(kit.inCopy("deleted by child.txt"));
    kit.child("deleted here.txt", "new\n");
    kit.child("binary", new byte[] {0, 2});
    kit.child("added by both.txt", "child\n");
    var patch = kit.patch();
    kit.file("deleted by child.txt", "changed\n");
    Files.delete(kit.workspace.resolve("deleted here.txt"));
    kit.file("binary", new byte[] {0, 3});
    kit.file("added by both.txt", "parent\n");
    var before = kit.tree();

    var outcome = (PatchOutcome.Conflicts) kit.apply(patch);

    assertThat(outcome.files().stream().map(file -> file.path() + " " + file.why()))
        .containsExactly(
            "added by both.txt exists already, with other content",
            "binary is binary and was changed since the task began",
            "deleted by child.txt was changed since the task began; the task deletes it",
            "deleted here.txt does not exist in your workspace");
    assertThat(kit.tree()).isEqualTo(before);
  }

  @Test
  void appendedLinesOfTwoChildrenConflict() throws Exception {
    var first = childReplaces("line 20\n", "line 20\nfirst\n");
    var second = childReplaces("line 20\n", "line 20\nsecond\n");

    assertThat(kit.apply(first)).isInstanceOf(PatchOutcome.Applied.class);
    kit.forget();
    assertThat(kit.apply(second)).isInstanceOf(PatchOutcome.Conflicts.class);
  }

  @Test
  void changeWhoseNeighbourLinesOccurTwiceIsNotGuessed() throws Exception {
    kit.file("a.txt", "start\na\n}\n\nb\n}\n\nc\nd\ne\n");
    kit.copy();
    kit.child("a.txt", "start\na\n}\nnew\n\nb\n}\n\nc\nd\ne\n");
    var patch = kit.patch();
    kit.file("a.txt", "start\nA\n}\n\nb\n}\n\nc\nd\ne\n");

    assertThat(kit.apply(patch)).isInstanceOf(PatchOutcome.Conflicts.class);
  }

  @Test
  void conflictThatWasResolvedByHandDoesNotBlockTheOtherFiles() throws Exception {
    kit.file("b.txt", "b\n");
    kit.copy();
    kit.child("a.txt", TEXT.replace("line 9\n", "NINE\n").replace("line 1\n", "ONE\n"));
    kit.child("b.txt", "changed\n");
    var patch = kit.patch();
    kit.file("a.txt", "first\n" + TEXT.replace("line 9\n", "NINE\n"));
    assertThat(kit.apply(patch)).isInstanceOf(PatchOutcome.Conflicts.class);
    kit.file("a.txt", TEXT.replace("line 9\n", "NINE\n").replace("line 1\n", "ONE\n") + "more\n");

    assertThat(kit.apply(patch)).isInstanceOf(PatchOutcome.Applied.class);
    assertThat(kit.content("b.txt")).isEqualTo("changed\n");
    assertThat(kit.content("a.txt")).endsWith("more\n");
  }

  @Test
  void filesThatWereMergedByHandAreSkipped() throws Exception {
    var patch = threeChanges();
    kit.file("a.txt", "by hand");
    var rest = Patch.read(patch).without(Set.of("a.txt"));

    assertThat(kit.apply(patch)).isInstanceOf(PatchOutcome.Conflicts.class);
    assertThat(kit.application(rest, Permissions.ALL).run(false))
        .isInstanceOf(PatchOutcome.Applied.class);
    assertThat(kit.content("a.txt")).isEqualTo("by hand");
    assertThat(kit.content("b.txt")).isEqualTo("changed\n");
  }

  @Test
  void patchOfAContinuedChildReplacesItsEarlierOne() throws Exception {
    kit.file("b.txt", "b\n");
    kit.copy();
    kit.child("a.txt", TEXT.replace("line 9\n", "NINE\n"));
    kit.child("b.txt", "first\n");
    kit.child("c.txt", "first\n");
    kit.child("d.txt", "same\n");
    var first = kit.patch();
    assertThat(kit.apply(first)).isInstanceOf(PatchOutcome.Applied.class);
    kit.file("a.txt", kit.content("a.txt").replace("line 1\n", "ONE\n"));
    kit.child("a.txt", TEXT.replace("line 9\n", "neun\n").replace("line 15\n", "15\n"));
    Files.delete(kit.inCopy("b.txt"));
    kit.child("c.txt", "second\n");
    var second = kit.patch();
    kit.forget();
    assertThat(kit.check(second)).isInstanceOf(PatchOutcome.Conflicts.class);

    kit.continued(first);

    assertThat(kit.apply(second)).isInstanceOf(PatchOutcome.Applied.class);
    assertThat(kit.content("a.txt"))
        .isEqualTo(
            TEXT.replace("line 9\n", "neun\n")
                .replace("line 15\n", "15\n")
                .replace("line 1\n", "ONE\n"));
    assertThat(kit.workspace.resolve("b.txt")).doesNotExist();
    assertThat(kit.content("c.txt")).isEqualTo("second\n");
    assertThat(kit.apply(second)).isEqualTo(new PatchOutcome.AlreadyApplied(List.of()));
  }

  /** The inserted block ends with an empty line, as the lines before it do. */
  @ParameterizedTest
  @ValueSource(strings = {"void n() {\n}\n", "void n() {\n  run();\n}\n"})
  void insertionOfAContinuedChildIsNotRepeated(String latest) throws Exception {
    var before = "void a() {\n}\n\nvoid b() {\n}\n\n" + TEXT;
    kit.file("a.txt", before);
    kit.copy();
    kit.child("a.txt", before.replace("void b()", "void n() {\n}\n\nvoid b()"));
    var first = kit.patch();
    assertThat(kit.apply(first)).isInstanceOf(PatchOutcome.Applied.class);
    var after = before.replace("void b()", latest + "\nvoid b()").replace("line 15\n", "FIFTEEN\n");
    kit.child("a.txt", after);

    kit.continued(first);

    assertThat(kit.apply(kit.patch())).isInstanceOf(PatchOutcome.Applied.class);
    assertThat(kit.content("a.txt")).isEqualTo(after);
  }

  /** A sibling has inserted the same. */
  @Test
  void insertionThatIsThereIsNotRepeated() throws Exception {
    var before = "void a() {\n}\n\nvoid b() {\n}\n\n" + TEXT;
    kit.file("a.txt", before);
    kit.copy();
    var inserted = before.replace("void b()", "void n() {\n}\n\nvoid b()");
    kit.child("a.txt", inserted.replace("line 15\n", "FIFTEEN\n"));
    var patch = kit.patch();
    kit.file("a.txt", inserted);

    assertThat(kit.apply(patch)).isInstanceOf(PatchOutcome.Applied.class);
    assertThat(kit.content("a.txt")).isEqualTo(inserted.replace("line 15\n", "FIFTEEN\n"));
  }

  @Test
  void crashBeforeTheFirstFileIsRepeated() throws Exception {
    var patch = childReplaces("line 2\n", "TWO\n");
    kit.afterNextPlan(() -> {
      throw new PatchKit.Crash();
    });

    assertThatThrownBy(() -> kit.apply(patch)).isInstanceOf(PatchKit.Crash.class);
    assertThat(kit.content("a.txt")).isEqualTo(TEXT);
    assertThat(kit.apply(patch)).isInstanceOf(PatchOutcome.Applied.class);
    assertThat(kit.content("a.txt")).isEqualTo(TEXT.replace("line 2\n", "TWO\n"));
  }

  @Test
  void crashInTheMiddleIsFinished() throws Exception {
    var patch = threeChanges();
    kit.file("a.txt", "first\n" + TEXT);
    crashAfter("a.txt", "first\n" + TEXT.replace("line 9\n", "NINE\n"), patch);

    assertThat(kit.check(patch)).isInstanceOf(PatchOutcome.Applied.class);
    assertThat(kit.content("b.txt")).isEqualTo("b\n");
    assertThat(kit.apply(patch)).isInstanceOf(PatchOutcome.Applied.class);
    assertThat(kit.content("a.txt")).isEqualTo("first\n" + TEXT.replace("line 9\n", "NINE\n"));
    assertThat(kit.content("b.txt")).isEqualTo("changed\n");
    assertThat(kit.workspace.resolve("c.txt")).doesNotExist();
    assertThat(kit.apply(patch)).isEqualTo(new PatchOutcome.AlreadyApplied(List.of()));
  }

  @Test
  void renameThatACrashLeftHalfDoneIsFinished() throws Exception {
    kit.copy();
    Files.move(kit.inCopy("a.txt"), kit.inCopy("z.txt"));
    kit.child("z.txt", TEXT.replace("line 9\n", "NINE\n"));
    var patch = kit.patch("-M");
    assertThat(new String(patch)).contains("rename from a.txt");
    crashAfter("z.txt", TEXT.replace("line 9\n", "NINE\n"), patch);

    assertThat(kit.apply(patch)).isInstanceOf(PatchOutcome.Applied.class);
    assertThat(kit.tree().keySet()).containsExactly("z.txt");
  }

  @Test
  void crashAfterWhichAnotherProcessChangedAFileIsReported() throws Exception {
    var patch = threeChanges();
    crashAfter("a.txt", TEXT.replace("line 9\n", "NINE\n"), patch);
    kit.file("b.txt", "of another process\n");

    assertThat(kit.apply(patch))
        .isEqualTo(
            new PatchOutcome.PartlyApplied(List.of("a.txt"), List.of("c.txt"), List.of("b.txt")));
    assertThat(kit.content("b.txt")).isEqualTo("of another process\n");
    assertThat(kit.workspace.resolve("c.txt")).exists();
  }

  @Test
  void filesThatWereChangedAfterwardsAreNotChangedAgain() throws Exception {
    var patch = childReplaces("line 2\n", "TWO\n");
    kit.apply(patch);
    kit.file("a.txt", "rewritten");

    assertThat(kit.apply(patch)).isEqualTo(new PatchOutcome.AlreadyApplied(List.of("a.txt")));
    assertThat(kit.content("a.txt")).isEqualTo("rewritten");
  }

  @ParameterizedTest
  @ValueSource(strings = {"b.txt", "c.txt"})
  void failureInTheMiddleIsUndone(String changedBetween) throws Exception {
    var patch = threeChanges();
    var before = kit.tree();
    before.put(changedBetween, "falsechanged at the last moment\n");
    kit.afterNextPlan(() -> {
      try {
        kit.file(changedBetween, "changed at the last moment\n");
      } catch (IOException fault) {
        throw new UncheckedIOException(fault);
      }
    });

    assertThatThrownBy(() -> kit.apply(patch)).isInstanceOf(IOException.class);
    assertThat(kit.tree()).isEqualTo(before);
  }

  @Test
  void emptiedDirectoryThatCannotBeDeletedIsKept() throws Exception {
    kit.file("locked/dir/only.txt", "x\n");
    kit.copy();
    Files.delete(kit.inCopy("locked/dir/only.txt"));
    kit.child("a.txt", "changed\n");
    var patch = kit.patch();
    var locked = kit.workspace.resolve("locked");
    var permissions = Files.getPosixFilePermissions(locked);
    Files.setPosixFilePermissions(locked, PosixFilePermissions.fromString("r-xr-xr-x"));
    try {
      assumeThat(Files.isWritable(locked)).as("root may write everywhere").isFalse();

      assertThat(kit.apply(patch)).isInstanceOf(PatchOutcome.Applied.class);

      assertThat(locked.resolve("dir")).isEmptyDirectory();
      assertThat(kit.content("a.txt")).isEqualTo("changed\n");
    } finally {
      Files.setPosixFilePermissions(locked, permissions);
    }
  }

  @Test
  void everyFileNeedsThePermissionToWriteIt() throws Exception {
    var patch = threeChanges();
    var permissions =
        Permissions.ALL.narrowedBy(List.of(new Rule("write", "b.txt", Rule.Action.DENY)));

    assertThat(kit.application(patch, permissions).run(false))
        .isEqualTo(
            new PatchOutcome.NotPermitted(
                List.of(
                    "Permission denied: this session may not use write on b.txt: denied by the"
                        + " permissions that it was created with (rule: deny write on b.txt)")));
    assertThat(
            kit.application(patch, Permissions.ALL.narrowedBy(List.of(Rule.deny("write"))))
                .run(true))
        .isInstanceOf(PatchOutcome.NotPermitted.class);
    assertThat(kit.content("a.txt")).isEqualTo(TEXT);
  }

  /** Changes a.txt, changes b.txt, deletes c.txt. */
  private byte[] threeChanges() throws Exception {
    kit.file("b.txt", "b\n");
    kit.file("c.txt", "c\n");
    kit.copy();
    kit.child("a.txt", TEXT.replace("line 9\n", "NINE\n"));
    kit.child("b.txt", "changed\n");
    Files.delete(kit.inCopy("c.txt"));
    return kit.patch();
  }

  private void crashAfter(String path, String content, byte[] patch) {
    kit.afterNextPlan(() -> {
      throw new PatchKit.Crash();
    });
    assertThatThrownBy(() -> kit.apply(patch)).isInstanceOf(PatchKit.Crash.class);
    try {
      kit.file(path, content);
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
  }

  /** Returns the patch of a child that saw the workspace before all others. */
  private byte[] childReplaces(String old, String replacement) throws Exception {
    kit.copy();
    kit.child("a.txt", TEXT.replace(old, replacement));
    return kit.patch();
  }
}
