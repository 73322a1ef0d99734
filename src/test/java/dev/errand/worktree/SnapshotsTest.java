package dev.errand.worktree;

import static dev.errand.worktree.CopyKit.files;
import static dev.errand.worktree.CopyKit.git;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.errand.worktree.ChangeStore.WorktreeChange;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies of real repositories, made with the installed git. */
class SnapshotsTest {

  private static final String SECRET = "secret-of-another-tenant";

  @TempDir Path top;
  private CopyKit kit;

  @BeforeEach
  void initialise() throws Exception {
    kit = new CopyKit(top);
    git(kit.parent, "init", "-q");
  }

  private void commit() throws Exception {
    git(kit.parent, "add", "-A");
    git(kit.parent, "commit", "-qm", "first");
  }

  @Test
  void copyHasTrackedAndNewFilesAsTheyAreNowAndTheParentIsNotChanged() throws Exception {
    kit.write("edited.txt", "old\n");
    kit.write("removed.txt", "gone\n");
    kit.write("a folder/with \"quotes\" and \\.txt", "1\n");
    kit.write("größe/日本\nzwei.txt", "2\n");
    kit.write("kept/log.txt", "tracked although it is ignored\n");
    kit.write(".gitattributes", "* text=auto eol=crlf\n");
    kit.write("dos.txt", "one\r\ntwo\n");
    commit();
    Files.write(kit.parent.resolve("image.bin"), new byte[] {0, 1, (byte) 0xff, '\r', '\n', 0});
    kit.write(".gitignore", "kept/\n*.class\n");
    kit.write("A.class", "ignored");
    kit.write("edited.txt", "new\n");
    kit.write("staged.txt", "staged\n");
    git(kit.parent, "add", "staged.txt", "image.bin");
    Files.delete(kit.parent.resolve("removed.txt"));
    Files.setPosixFilePermissions(
        kit.write("run.sh", "true"), PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.createSymbolicLink(kit.parent.resolve("link"), Path.of("edited.txt"));
    git(kit.parent, "stash", "store", "-m", "kept", git(kit.parent, "rev-parse", "HEAD").strip());
    var before = files(kit.parent, true);
    var expected = files(kit.parent, false);
    expected.remove("A.class");

    var notes = kit.copied();

    assertThat(notes).isEmpty();
    assertThat(files(kit.copy.tree(), false)).isEqualTo(expected);
    assertThat(files(kit.parent, true)).isEqualTo(before);
    assertThat(git(kit.copy.tree(), "log", "--format=%s")).isEqualTo("main\n");
    assertThat(git(kit.copy.tree(), "branch", "--format=%(refname)"))
        .isEqualTo("refs/heads/main\n");
    assertThat(git(kit.copy.tree(), "remote")).isEmpty();
    assertThat(kit.patch().change()).isEqualTo(WorktreeChange.NONE);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4})
  void splitIndexIsCopied(int version) throws Exception {
    kit.write("link", "tracked\n");
    kit.write("kept/log.txt", "tracked although it is ignored\n");
    kit.write("kept/removed.txt", "gone\n");
    commit();
    git(kit.parent, "update-index", "--index-version", String.valueOf(version));
    git(kit.parent, "update-index", "--split-index");
    kit.write(".gitignore", "kept/\n");
    kit.write("link", "changed\n");
    git(kit.parent, "rm", "-q", "--cached", "kept/removed.txt");
    git(kit.parent, "add", ".gitignore", "link");
    kit.copied();

    assertThat(files(kit.copy.tree(), false))
        .containsOnlyKeys(".gitignore", "kept/log.txt", "link");
  }

  @Test
  void childCanUseGitInItsCopy() throws Exception {
    kit.write("a.txt", "one\n");
    commit();
    kit.copied();
    var tree = kit.copy.tree();

    assertThat(git(tree, "status", "--porcelain")).isEmpty();
    Files.writeString(tree.resolve("a.txt"), "two\n");
    assertThat(git(tree, "diff", "--stat")).contains("a.txt");
    git(tree, "commit", "-qam", "mine");
    assertThat(git(tree, "log", "--format=%s")).isEqualTo("mine\nmain\n");
    assertThat(kit.patch().change().files())
        .containsExactly(new WorktreeChange.ChangedFile("a.txt", "modified"));
  }

  @Test
  void filesThatAgentsMustNotReadAreNotCopied() throws Exception {
    kit.write(".env", "KEY=1");
    kit.write("deep/id_rsa", "key");
    kit.write(".errand/postgres/data", "transcripts");
    kit.write("a.txt", "a");
    commit();
    Files.createDirectory(top.resolve("outside"));
    Files.writeString(top.resolve("outside/secret"), "secret");
    kit.write("dir/secret", "tracked");
    git(kit.parent, "add", "dir");
    Files.delete(kit.parent.resolve("dir/secret"));
    Files.delete(kit.parent.resolve("dir"));
    Files.createSymbolicLink(kit.parent.resolve("dir"), top.resolve("outside"));
    Files.createLink(kit.parent.resolve("hard"), top.resolve("outside/secret"));

    var notes = kit.copied();

    assertThat(files(kit.copy.tree(), false)).containsOnlyKeys("a.txt", "dir");
    assertThat(notes).singleElement().asString().contains("cannot read").endsWith(": 3.");
  }

  @Test
  void indexThatNamesFilesOutsideLeadsNowhere() throws Exception {
    kit.write("aa/secret", "mine");
    kit.write("b", "b");
    git(kit.parent, "add", "-A");
    Files.writeString(kit.parent.resolve("../secret"), "not mine");
    var index = kit.parent.resolve(".git/index");
    var entries = new String(Files.readAllBytes(index), ISO_8859_1);
    var changed =
        entries
            .substring(0, entries.length() - 20)
            .replace("aa/secret", "../secret")
            .getBytes(ISO_8859_1);
    try (var out = Files.newOutputStream(index)) {
      out.write(changed);
      out.write(MessageDigest.getInstance("SHA-1").digest(changed));
    }
    assertThat(git(kit.parent, "ls-files")).contains("../secret");

    kit.copied();

    assertThat(files(kit.copy.tree(), false)).containsOnlyKeys("aa/secret", "b");
    assertThat(kit.copy.folder().resolve("secret")).doesNotExist();
  }

  @Test
  void onlyTheWorkspaceIsCopiedAndTheIgnoreFilesAboveItCount() throws Exception {
    kit.write(".gitignore", "target\n/app/*/generated\n/other\n");
    kit.write("app/.gitignore", "*.tmp\n");
    kit.write("outside.txt", "outside");
    kit.write("app/web/inside.txt", "inside");
    commit();
    kit.write("app/web/target/x.class", "ignored");
    kit.write("app/web/generated/y", "ignored");
    kit.write("app/web/z.tmp", "ignored");
    kit.write("app/web/other", "not ignored");

    kit.copied(kit.parent.resolve("app/web"));
    var tree = kit.copy.tree();
    assertThat(files(tree, false)).containsOnlyKeys("inside.txt", "other");
    for (var ignored : new String[] {"target", "generated", "w.tmp"}) {
      Files.writeString(tree.resolve(ignored), "built");
    }
    Files.writeString(tree.resolve("new.txt"), "new");

    assertThat(kit.patch().change().files())
        .containsExactly(new WorktreeChange.ChangedFile("new.txt", "added"));
    assertThat(git(tree, "status", "--porcelain")).isEqualTo("?? new.txt\n");
  }

  /** An agent can write such a line; a matcher that tries all ways would not end. */
  @Test
  @Timeout(60)
  void ignoreLineWithManyStarsIsMatchedQuickly() throws Exception {
    var name = "a".repeat(200);
    kit.write(".gitignore", "{x,%sb}/y\n".formatted("*a".repeat(12)));
    kit.write(name + "/web/inside.txt", "inside");
    commit();

    kit.copied(kit.parent.resolve(name).resolve("web"));

    assertThat(files(kit.copy.tree(), false)).containsOnlyKeys("inside.txt");
  }

  @Test
  void submodulesNestedRepositoriesAndContentsOfLfsAreNotCopied() throws Exception {
    var other = Files.createDirectory(top.resolve("other"));
    git(other, "init", "-q");
    Files.writeString(other.resolve("f"), "f");
    git(other, "add", "-A");
    git(other, "commit", "-qm", "x");
    git(kit.parent, "submodule", "--quiet", "add", other.toString(), "lib");
    kit.write("nested/f", "f");
    git(kit.parent.resolve("nested"), "init", "-q");
    kit.write(".gitattributes", "*.psd filter=lfs diff=lfs merge=lfs -text\n");
    kit.write("big.psd", "large");
    kit.write("a.txt", "a");

    var notes = kit.copied();

    assertThat(files(kit.copy.tree(), false))
        .containsOnlyKeys("a.txt", ".gitattributes", ".gitmodules");
    assertThat(notes)
        .containsExactly(
            "Submodules and repositories in the workspace are not copied: lib, nested.",
            "Files whose contents Git LFS keeps are not copied: 1.");
  }

  @Test
  void filesWithNamesThatAreNotUtf8AreCounted() throws Exception {
    kit.write("café.txt", "utf-8");
    latin1(kit.parent, "tracked");
    commit();
    latin1(kit.parent, "new");

    var notes = kit.copied();

    assertThat(files(kit.copy.tree(), false)).containsOnlyKeys("café.txt");
    assertThat(notes).containsExactly("Files whose names are not UTF-8 are not copied: 2.");
    assertThat(kit.patch().change()).isEqualTo(WorktreeChange.NONE);
    latin1(kit.copy.tree(), "of the child");
    Files.writeString(kit.copy.tree().resolve("new.txt"), "new");
    var change = kit.patch().change();
    assertThat(change.files()).containsExactly(new WorktreeChange.ChangedFile("new.txt", "added"));
    assertThat(change.notes())
        .containsExactly("Files whose names are not UTF-8 are not copied: 1.");
  }

  /** Writes a file whose name has one byte for é, which Java cannot express. */
  private static void latin1(Path folder, String prefix) throws Exception {
    var script = "printf x > \"$(printf '%s caf\\351')\"".formatted(prefix);
    var shell = new ProcessBuilder("/bin/sh", "-c", script).directory(folder.toFile()).inheritIO();
    assertThat(shell.start().waitFor()).isZero();
  }

  @Test
  void repositoryWithoutACommitAndALinkedWorkTreeCanBeCopied() throws Exception {
    kit.write("a.txt", "a");
    kit.copied();
    assertThat(files(kit.copy.tree(), false)).containsOnlyKeys("a.txt");

    commit();
    git(kit.parent, "worktree", "add", "-q", top.resolve("linked").toString());
    var second = new CopyKit(top);
    second.copied(top.toRealPath().resolve("linked"));
    assertThat(files(second.copy.tree(), false)).containsOnlyKeys("a.txt");

    // the tree of a child, whose own repository is gone, is not taken for a part of another one
    git(top, "init", "-q");
    git(second.copy.tree(), "worktree", "list");
    new Folders(PlainRules.RULES).delete(second.copy.tree().resolve(".git"));
    var third = new CopyKit(top);
    assertThatThrownBy(() -> third.copied(second.copy.tree()))
        .isInstanceOf(WorktreeRefused.class)
        .hasMessage("is not in a git repository");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ".git/info/exclude",
        ".git/info",
        ".git/index",
        ".git/sharedindex.1",
        ".git/commondir",
        ".git",
        ".gitignore",
        "app/.gitignore"
      })
  void noDataOfTheRepositoryIsReadThroughALink(String name) throws Exception {
    kit.write("app/web/a.txt", "a");
    commit();
    var outside = outside(name.endsWith("info") ? "" : "info/");
    var file = kit.parent.resolve(name);
    if (Files.exists(file, NOFOLLOW_LINKS)) {
      Files.move(file, top.resolve("moved"));
    }
    var isFolder = name.equals(".git") || name.equals(".git/info");
    Files.createSymbolicLink(file, isFolder ? outside : outside.resolve("secret"));

    assertNothingIsCopiedFromOutside();
  }

  @ParameterizedTest
  @ValueSource(strings = {".git/info/exclude", ".git/index", ".git/sharedindex.1", ".gitignore"})
  void noDataOfTheRepositoryIsReadThroughAHardLink(String name) throws Exception {
    kit.write("app/web/a.txt", "a");
    commit();
    Files.deleteIfExists(kit.parent.resolve(name));
    Files.createLink(kit.parent.resolve(name), outside("").resolve("secret"));

    assertNothingIsCopiedFromOutside();
  }

  @ParameterizedTest
  @ValueSource(strings = {".git", ".git/commondir"})
  void repositoryOutsideTheRootIsRefused(String pointer) throws Exception {
    kit.write("app/web/a.txt", "a");
    commit();
    var outside = outside("info/");
    if (pointer.equals(".git")) {
      Files.move(kit.parent.resolve(".git"), top.resolve("moved"));
    }
    for (var target : List.of(outside.toString(), outside + "-missing", "../../outside")) {
      kit.write(pointer, pointer.equals(".git") ? "gitdir: " + target : target);

      assertThatThrownBy(() -> CopyKit.in(top, kit.parent).copied())
          .isInstanceOf(WorktreeRefused.class)
          .hasMessage(
              "has a git repository that is missing or outside the directories in which this"
                  + " session may work");
    }

    assertNothingIsCopiedFromOutside();
  }

  /** A repository whose data contain a secret. */
  private Path outside(String info) throws Exception {
    var outside = Files.createDirectories(top.toRealPath().resolve("outside"));
    git(outside, "init", "-q");
    Files.createDirectories(outside.resolve(info));
    for (var name : List.of("HEAD", "index", "secret", info + "exclude")) {
      Files.writeString(outside.resolve(name), SECRET + "\n");
    }
    return outside;
  }

  private void assertNothingIsCopiedFromOutside() throws Exception {
    var copy = CopyKit.in(top, kit.parent);
    try {
      copy.copied(kit.parent.resolve("app/web"));
    } catch (WorktreeRefused refused) {
      assertThat(refused).hasMessageNotContaining(SECRET);
    }
    try (var files = Files.walk(copy.copy.folder())) {
      for (var file : files.filter(Files::isRegularFile).toList()) {
        assertThat(new String(Files.readAllBytes(file), ISO_8859_1))
            .as(file.toString())
            .doesNotContain(SECRET);
      }
    }
  }

  @Test
  void submoduleAndLinkedRepositoryInsideTheRootCanBeCopied() throws Exception {
    kit.write("a.txt", "a");
    commit();
    git(kit.parent, "submodule", "--quiet", "add", kit.parent.toString(), "lib");
    var module = CopyKit.in(top, kit.parent);
    module.copied(kit.parent.resolve("lib"));
    assertThat(files(module.copy.tree(), false)).containsOnlyKeys("a.txt");

    var other = Files.createDirectory(kit.parent.resolve("other"));
    Files.createSymbolicLink(other.resolve(".git"), Path.of("../.git"));
    Files.writeString(other.resolve("b.txt"), "b");
    var linked = CopyKit.in(top, kit.parent);
    linked.copied(other);
    assertThat(files(linked.copy.tree(), false)).containsKey("b.txt");
  }

  @Test
  void emptyRepositoryGivesAnEmptyCopy() throws Exception {
    kit.copied();

    assertThat(files(kit.copy.tree(), false)).isEmpty();
    Files.writeString(kit.copy.tree().resolve("new"), "new");
    assertThat(kit.patch().change().files())
        .containsExactly(new WorktreeChange.ChangedFile("new", "added"));
  }

  @Test
  void limitsAreNamed() throws Exception {
    for (int i = 0; i < 4; i++) {
      kit.write("f" + i, "x".repeat(300));
    }

    assertThatThrownBy(() -> new CopyKit(top, 3, 10_000).copied())
        .isInstanceOf(WorktreeRefused.class)
        .hasMessage("has more than 3 files (errand.worktrees.max-files)");
    assertThatThrownBy(() -> new CopyKit(top, 100, 1_000).copied())
        .isInstanceOf(WorktreeRefused.class)
        .hasMessage("has files with more than 1,000 bytes (errand.worktrees.max-bytes)");
  }

  @Test
  void checkOutThatBrokeOffIsRepeated() throws Exception {
    kit.write("a.txt", "a");
    var ignored = kit.snapshots.recordBase(kit.copy, kit.parent);
    Files.createDirectories(kit.copy.folder().resolve("tree.new/.git"));
    Files.writeString(kit.copy.folder().resolve("tree.new/half"), "half");

    kit.snapshots.checkOut(kit.copy);

    assertThat(files(kit.copy.tree(), false)).containsOnlyKeys("a.txt");
    assertThat(kit.copy.isHere()).isTrue();
    new Folders(PlainRules.RULES).delete(kit.copy.tree());
    assertThat(kit.copy.isHere()).isFalse();
  }
}
