package dev.errand.worktree;

import dev.errand.tool.file.FileRules;
import dev.errand.tool.file.Workspace;
import dev.errand.worktree.WorktreeStore.Worktree;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads workspaces into commits of the service's own git directories, and writes them out. */
@Singleton
class Snapshots {

  /** The branch of the base; the child sees it under this name. */
  static final String BASE = "main";

  private static final int MAX_NAMES_BYTES = 64 << 20;
  private static final int MAX_OUTPUT = 64 << 10;

  /** No attribute of the workspace converts a file or hides a difference. */
  private static final String ATTRIBUTES =
      "* -text -crlf !eol -ident -filter -working-tree-encoding !diff !merge !whitespace\n";

  private final Git git;
  private final FileRules rules;
  private final Folders folders;
  private final WorktreesConfig config;

  Snapshots(Git git, FileRules rules, Folders folders, WorktreesConfig config) {
    this.git = git;
    this.folders = folders;
    this.rules = rules;
    this.config = config;
  }

  /**
   * Records the tracked and non-ignored files of a workspace, uncommitted changes included, as the
   * base. The parent's repository is only read.
   *
   * @param workspace a real path
   * @return what is not copied, as sentences
   * @throws WorktreeRefused a copy is not possible
   */
  List<String> recordBase(Worktree worktree, Path workspace) throws IOException {
    var repository =
        ParentRepository.of(workspace, config.dir().toAbsolutePath().normalize(), rules)
            .orElseThrow(() -> new WorktreeRefused("is not in a git repository"));
    var own = worktree.git();
    git.expect(
        new Git.GitCall(
            null,
            worktree.folder(),
            List.of("init", "--quiet", "--bare", "--template=", "-b", BASE, own.toString()),
            Git.GitInput.NONE,
            MAX_OUTPUT));
    repository.copyTo(own);
    var listed = names(own, repository.top(), workspace);
    var names = listed.names();
    var byLfs = names(own, repository.top(), workspace, ":(attr:filter=lfs)").names();
    names.removeAll(byLfs);
    Files.writeString(own.resolve("info/attributes"), ATTRIBUTES);
    repository.excludesBelow(workspace, own.resolve("info/exclude"));
    var stream = stream(workspace, names, BASE, null);
    imported(own, stream);
    git.expect(
        Git.GitCall.of(own, worktree.folder(), MAX_OUTPUT, "read-tree", "refs/heads/" + BASE));
    var notes = new ArrayList<>(stream.notes());
    listed.note().ifPresent(notes::add);
    if (!byLfs.isEmpty()) {
      notes.add("Files whose contents Git LFS keeps are not copied: " + byLfs.size() + ".");
    }
    return notes;
  }

  /**
   * Records the present state of a copy.
   *
   * @param branch that it is recorded on
   * @return what is not in it, as sentences
   */
  List<String> recordEnd(Worktree worktree, String branch) throws IOException {
    var listed = names(worktree.git(), worktree.tree(), worktree.tree());
    var stream = stream(worktree.tree(), listed.names(), branch, BASE);
    imported(worktree.git(), stream);
    var notes = new ArrayList<>(stream.notes());
    listed.note().ifPresent(notes::add);
    return notes;
  }

  /**
   * Writes the base into {@code tree}, with a repository for the child. Can be repeated, also while
   * a worker that has lost the child still does the same: each uses a directory of its own until it
   * is complete.
   */
  void checkOut(Worktree worktree) throws IOException {
    var fresh = worktree.folder().resolve("tree." + UUID.randomUUID());
    try {
      checkOut(worktree, fresh);
      publish(fresh, worktree.tree());
    } finally {
      folders.delete(fresh);
    }
    Files.writeString(worktree.mark(), "", StandardOpenOption.CREATE);
  }

  /** The first one that is complete stays. */
  private static void publish(Path fresh, Path tree) throws IOException {
    try {
      Files.move(fresh, tree, StandardCopyOption.ATOMIC_MOVE);
    } catch (FileSystemException fault) {
      if (!Files.isDirectory(tree)) {
        throw fault;
      }
    }
  }

  private void checkOut(Worktree worktree, Path fresh) throws IOException {
    git.expect(
        new Git.GitCall(
            null,
            worktree.folder(),
            List.of(
                "clone",
                "--quiet",
                "--no-checkout",
                "--no-hardlinks",
                "--single-branch",
                "--template=",
                worktree.git().toString(),
                fresh.toString()),
            Git.GitInput.NONE,
            MAX_OUTPUT));
    git.expect(
        Git.GitCall.of(
            worktree.git(),
            fresh,
            MAX_OUTPUT,
            "--work-tree=" + fresh,
            "checkout-index",
            "--all",
            "--force",
            "--quiet"));
    ownRepository(worktree, fresh);
  }

  private void ownRepository(Worktree worktree, Path fresh) throws IOException {
    var dir = fresh.resolve(".git");
    Files.createDirectories(dir.resolve("info"));
    Files.copy(worktree.git().resolve("info/exclude"), dir.resolve("info/exclude"));
    for (var arguments :
        List.of(
            List.of("remote", "remove", "origin"),
            List.of("config", "user.name", "errand agent"),
            List.of("config", "user.email", "agent@errand.localhost"),
            List.of("--work-tree=" + fresh, "reset", "--quiet"))) {
      git.expect(new Git.GitCall(dir, fresh, arguments, Git.GitInput.NONE, MAX_OUTPUT));
    }
  }

  private FileStream stream(
      Path workspace, SortedSet<String> names, String branch, @Nullable String from)
      throws IOException {
    var contents = new Contents(Workspace.at(workspace, rules), workspace.toRealPath());
    return new FileStream(contents, names, branch, from, config);
  }

  private void imported(Path own, FileStream stream) throws IOException {
    git.expect(
        new Git.GitCall(
            own,
            own,
            List.of("fast-import", "--quiet", "--force", "--done", "--date-format=now"),
            stream,
            MAX_OUTPUT));
  }

  /** Returns the names of tracked and non-ignored files below a directory, relative to it. */
  private FileNames names(Path own, Path top, Path folder, String... more) throws IOException {
    var arguments =
        new ArrayList<>(
            List.of(
                "--work-tree=" + top,
                "ls-files",
                "-z",
                "--cached",
                "--others",
                "--exclude-standard",
                "--"));
    arguments.addAll(List.of(more));
    var listed =
        git.expect(new Git.GitCall(own, folder, arguments, Git.GitInput.NONE, MAX_NAMES_BYTES));
    if (listed.cut()) {
      throw new WorktreeRefused("has too many files (errand.worktrees.max-files)");
    }
    return FileNames.of(listed.output());
  }
}
