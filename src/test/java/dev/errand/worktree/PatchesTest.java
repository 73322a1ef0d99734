package dev.errand.worktree;

import static dev.errand.worktree.CopyKit.files;
import static dev.errand.worktree.CopyKit.git;
import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.worktree.ChangeStore.WorktreeChange;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What changed in a copy, and that nothing which an agent wrote is started for it. */
class PatchesTest {

  @TempDir Path top;
  private CopyKit kit;

  @BeforeEach
  void initialise() throws Exception {
    kit = new CopyKit(top, 1_000, 32 << 20);
    git(kit.parent, "init", "-q");
  }

  @Test
  void patchOfTextBinariesRightsAndLinksGivesTheSameFiles() throws Exception {
    kit.write(".gitattributes", "* text=auto eol=crlf\n*.md -diff\n");
    kit.write("dos.txt", "one\r\ntwo\nthree\r\n");
    kit.write("gone.txt", "gone\n");
    kit.write("readme.md", "read\n");
    kit.write("with spaces/ü \"x\".txt", "1\n2\n3\n");
    Files.write(kit.parent.resolve("image.bin"), new byte[] {0, 1, 2, 3});
    kit.copied();
    var tree = kit.copy.tree();
    Files.writeString(tree.resolve("dos.txt"), "one\r\n2\nthree\n");
    Files.delete(tree.resolve("gone.txt"));
    Files.writeString(tree.resolve("readme.md"), "read me\n");
    Files.writeString(tree.resolve("with spaces/ü \"x\".txt"), "1\n2\n3\n4\n");
    Files.write(tree.resolve("image.bin"), new byte[] {3, 2, 1, 0, '\n'});
    Files.setPosixFilePermissions(
        Files.writeString(Files.createDirectories(tree.resolve("bin")).resolve("run"), "true\n"),
        PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.createSymbolicLink(tree.resolve("link"), Path.of("dos.txt"));

    var patch = kit.patch();

    assertThat(patch.change().files())
        .containsExactly(
            new WorktreeChange.ChangedFile("bin/run", "added"),
            new WorktreeChange.ChangedFile("dos.txt", "modified"),
            new WorktreeChange.ChangedFile("gone.txt", "deleted"),
            new WorktreeChange.ChangedFile("image.bin", "modified"),
            new WorktreeChange.ChangedFile("link", "added"),
            new WorktreeChange.ChangedFile("readme.md", "modified"),
            new WorktreeChange.ChangedFile("with spaces/ü \"x\".txt", "modified"));
    assertThat(patch.change().insertions()).isEqualTo(6);
    assertThat(patch.change().deletions()).isEqualTo(4);
    assertThat(patch.change().notes()).isEmpty();
    var file = top.resolve("patch");
    Files.write(file, Objects.requireNonNull(patch.bytes()));
    var fresh = new CopyKit(top);
    fresh.copied();
    var plain = fresh.copy.tree();
    Files.delete(plain.resolve(".gitattributes"));
    git(plain, "apply", file.toString());
    Files.writeString(plain.resolve(".gitattributes"), "* text=auto eol=crlf\n*.md -diff\n");
    assertThat(files(plain, false)).isEqualTo(files(tree, false));
  }

  @Test
  void nothingThatAnAgentConfiguresIsStarted() throws Exception {
    var mark = top.resolve("started");
    kit.write("a.txt", "a\n");
    poison(kit.parent, mark);
    kit.write(".gitattributes", "* filter=evil diff=evil merge=evil\n");

    kit.copied();
    assertThat(mark).doesNotExist();
    var tree = kit.copy.tree();
    poison(tree, mark);
    Files.writeString(tree.resolve("a.txt"), "b\n");
    var patch = kit.patch();

    assertThat(mark).doesNotExist();
    assertThat(patch.change().files())
        .containsExactly(new WorktreeChange.ChangedFile("a.txt", "modified"));
    assertThat(new String(Objects.requireNonNull(patch.bytes()), StandardCharsets.UTF_8))
        .contains("-a\n+b\n");
    var nested = new CopyKit(top);
    nested.copied(tree);
    assertThat(mark).doesNotExist();
    new ProcessBuilder("git", "status")
        .directory(kit.parent.toFile())
        .redirectInput(new File("/dev/null"))
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
    assertThat(mark).as("a plain call of git starts what the agent configured").exists();
    assertThat(files(nested.copy.tree(), false)).containsOnlyKeys(".gitattributes", "a.txt");
  }

  /** Everything in a repository that names a program to be started. */
  private static void poison(Path repository, Path mark) throws Exception {
    var program = mark.resolveSibling("evil.sh");
    Files.writeString(program, "#!/bin/sh\necho started >> '" + mark + "'\ncat\n");
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    var evil = program.toString();
    git(repository, "config", "filter.evil.clean", evil);
    git(repository, "config", "filter.evil.smudge", evil);
    git(repository, "config", "filter.evil.process", evil);
    git(repository, "config", "filter.evil.required", "true");
    git(repository, "config", "diff.evil.command", evil);
    git(repository, "config", "diff.evil.textconv", evil);
    git(repository, "config", "diff.external", evil);
    git(repository, "config", "core.pager", evil);
    git(repository, "config", "core.sshCommand", evil);
    git(repository, "config", "core.alternateRefsCommand", evil);
    git(repository, "config", "uploadpack.packObjectsHook", evil);
    git(repository, "config", "remote.origin.url", "ext::" + evil);
    git(repository, "config", "remote.origin.promisor", "true");
    git(repository, "config", "protocol.ext.allow", "always");
    git(repository, "config", "core.worktree", "/etc");
    git(repository, "config", "core.fsmonitor", evil);
    var hooks = Files.createDirectories(repository.resolve(".git/hooks"));
    for (var hook : new String[] {"post-checkout", "post-index-change", "reference-transaction"}) {
      Files.copy(program, hooks.resolve(hook));
    }
    Files.deleteIfExists(mark);
  }

  @Test
  void fileThatBecomesADirectoryIsNotARepository() throws Exception {
    kit.write("build", "a file\n");
    kit.write("now-a-file/a.txt", "a\n");
    kit.copied();
    var tree = kit.copy.tree();
    Files.delete(tree.resolve("build"));
    Files.writeString(Files.createDirectory(tree.resolve("build")).resolve("out.txt"), "out\n");
    Files.delete(tree.resolve("now-a-file/a.txt"));
    Files.delete(tree.resolve("now-a-file"));
    Files.writeString(tree.resolve("now-a-file"), "a file\n");

    var change = kit.patch().change();

    assertThat(change.files())
        .containsExactly(
            new WorktreeChange.ChangedFile("build", "deleted"),
            new WorktreeChange.ChangedFile("build/out.txt", "added"),
            new WorktreeChange.ChangedFile("now-a-file", "added"),
            new WorktreeChange.ChangedFile("now-a-file/a.txt", "deleted"));
    assertThat(change.notes()).isEmpty();
  }

  @Test
  void aFileThatBecomesARepositoryIsNamed() throws Exception {
    kit.write("lib", "a file\n");
    kit.copied();
    var lib = kit.copy.tree().resolve("lib");
    Files.delete(lib);
    Files.writeString(Files.createDirectory(lib).resolve("a.txt"), "a\n");
    git(lib, "init", "-q");

    var change = kit.patch().change();

    assertThat(change.files()).containsExactly(new WorktreeChange.ChangedFile("lib", "deleted"));
    assertThat(change.notes())
        .containsExactly("Submodules and repositories in the workspace are not copied: lib.");
  }

  @Test
  void largePatchIsTruncatedAndNamesItsFiles() throws Exception {
    kit.copied();
    var noise = new byte[6 << 20];
    new Random(1).nextBytes(noise);
    Files.write(kit.copy.tree().resolve("noise"), noise);

    var patch = kit.patch();

    assertThat(patch.bytes()).isNull();
    assertThat(patch.change().truncated()).isTrue();
    assertThat(patch.change().files())
        .containsExactly(new WorktreeChange.ChangedFile("noise", "added"));
  }

  @Test
  void copyThatGrewTooLargeIsTruncated() throws Exception {
    kit = new CopyKit(top, 2, 1_000);
    kit.copied();
    for (int i = 0; i < 3; i++) {
      Files.writeString(kit.copy.tree().resolve("f" + i), "f");
    }

    var change = kit.patch().change();

    assertThat(change.truncated()).isTrue();
    assertThat(change.notes()).singleElement().asString().contains("more than 2 files");
  }

  @Test
  void whatTheServiceCannotReadCountsAsUnchanged() throws Exception {
    kit.write("a.txt", "a");
    kit.write("hard.txt", "h");
    kit.copied();
    var tree = kit.copy.tree();
    Files.createLink(top.resolve("other-name"), tree.resolve("hard.txt"));
    Files.writeString(tree.resolve("hard.txt"), "changed");
    Files.writeString(tree.resolve(".env"), "KEY=1");
    Files.writeString(tree.resolve("new"), "new");

    var change = kit.patch().change();

    assertThat(change.files()).containsExactly(new WorktreeChange.ChangedFile("new", "added"));
    assertThat(change.notes()).singleElement().asString().contains("cannot read");
  }

  @Test
  void folderThatIsGoneIsUnavailableAndOneThatWasNeverOpenedIsUnchanged() throws Exception {
    var ignored = kit.snapshots.recordBase(kit.copy, kit.parent);
    assertThat(kit.patch().change()).isEqualTo(WorktreeChange.NONE);

    kit.snapshots.checkOut(kit.copy);
    new Folders(PlainRules.RULES).delete(kit.copy.tree());
    assertThat(kit.patch().change().unavailable()).isTrue();

    new Folders(PlainRules.RULES).delete(kit.copy.folder());
    var change = kit.patch().change();
    assertThat(change.unavailable()).isTrue();
    assertThat(kit.patch().bytes()).isNull();
  }
}
