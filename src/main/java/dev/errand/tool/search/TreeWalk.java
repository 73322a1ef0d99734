package dev.errand.tool.search;

import dev.errand.tool.file.OpenFolder;
import dev.errand.tool.file.TextFile;
import dev.errand.tool.file.Workspace;
import dev.errand.tool.file.WorkspacePath;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RecursiveAction;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Visits the regular files below a directory, on several threads and in no particular order. Skips
 * files that git ignores, {@code .git}, the data of the service, symbolic links and special files,
 * and stops in a tree that is too large, or when the time of the search is over.
 */
final class TreeWalk {

  /** Receives each file with its open directory, on several threads. */
  interface Visitor {
    void visit(VisitedFile file) throws IOException;
  }

  /**
   * A visited file.
   *
   * @param path relative to the workspace, with {@code /}; may not be the exact name, because a
   *     name has bytes and need not be text
   * @param parent the path of its directory, relative to the workspace
   */
  record VisitedFile(
      String path, Path parent, Path name, OpenFolder folder, BasicFileAttributes attributes) {

    /** Returns the exact path, relative to the workspace. */
    Path file() {
      return parent.resolve(name);
    }

    long size() {
      return attributes.size();
    }

    FileTime modifiedAt() {
      return attributes.lastModifiedTime();
    }

    TextFile open() throws IOException {
      return TextFile.read(folder.regularFile(name), size());
    }
  }

  private static final String GIT = ".git";
  private static final int MAX_ENTRIES = 200_000;
  private static final int MAX_DEPTH = 64;

  /** The number of entries that one task handles; a larger directory is split. */
  private static final int PART = 128;

  private final CancelFlag cancel;
  private final Visitor visitor;
  private final Workspace workspace;
  private final AtomicInteger entries = new AtomicInteger();
  private volatile boolean complete = true;
  private volatile boolean ignored;

  TreeWalk(Workspace workspace, CancelFlag cancel, Visitor visitor) {
    this.workspace = workspace;
    this.cancel = cancel;
    this.visitor = visitor;
  }

  /** Walks the directory and returns when all tasks have ended. */
  void walk(WorkspacePath start) throws IOException {
    var prefix = IgnoreRules.folderPrefix(start.path());
    var rules = IgnoreRules.above(workspace, start.path());
    try (var folder = workspace.openFolder(start.path())) {
      SearchThreads.run(
          cancel,
          new RecursiveAction() {
            @Override
            protected void compute() {
              tryTo(() -> inside(new Level(folder, start.path(), prefix, rules, 1)));
            }
          });
    }
  }

  /** Returns a remark about files that were not searched; empty if there is none. */
  String remark(boolean nothingFound) {
    if (cancel.isLate()) {
      return "\n(Not everything was searched: the search was stopped after %d s. Narrow the path or the pattern.)"
          .formatted(CancelFlag.BUDGET.toSeconds());
    }
    if (!complete) {
      return "\n(The search is incomplete: the tree is too large, or some directories cannot be read.)";
    }
    return ignored && nothingFound
        ? "\n(Files that .gitignore excludes were not searched. To search them, pass their directory as path.)"
        : "";
  }

  /**
   * An open directory in the walk.
   *
   * @param relative its path in the workspace
   * @param prefix the same with a slash at the end; empty for the workspace itself
   */
  private record Level(
      OpenFolder folder, Path relative, String prefix, IgnoreRules rules, int depth) {

    String path(Path name) {
      return prefix + name;
    }
  }

  private interface WalkStep {
    void run() throws IOException;
  }

  private void tryTo(WalkStep step) {
    try {
      step.run();
    } catch (NoSuchFileException gone) {
      // removed since its directory was read
    } catch (IOException unreadable) {
      complete = false;
    }
  }

  private void inside(Level outer) throws IOException {
    var names = outer.folder().names(MAX_ENTRIES);
    var rules = outer.rules().in(outer.folder(), names, outer.prefix());
    var level = new Level(outer.folder(), outer.relative(), outer.prefix(), rules, outer.depth());
    var parts = new ArrayList<Part>();
    for (int from = 0; from < names.size(); from += PART) {
      parts.add(new Part(level, names.subList(from, Math.min(names.size(), from + PART))));
    }
    RecursiveAction.invokeAll(parts);
  }

  /** Handles some entries of a directory and everything below them. */
  private final class Part extends RecursiveAction {

    private final transient Level level;
    private final transient List<Path> names;

    Part(Level level, List<Path> names) {
      this.level = level;
      this.names = names;
    }

    @Override
    protected void compute() {
      var below = new ArrayList<Below>();
      for (var name : names) {
        if (cancel.stops()) {
          return;
        }
        if (entries.incrementAndGet() > MAX_ENTRIES) {
          complete = false;
          break;
        }
        if (!name.toString().equals(GIT)) {
          tryTo(() -> visit(name, below));
        }
      }
      invokeAll(below);
    }

    private void visit(Path name, List<Below> below) throws IOException {
      var attributes = level.folder().attributes(name);
      if (!attributes.isRegularFile() && !attributes.isDirectory()) {
        return;
      }
      var path = level.path(name);
      if (workspace.hides(path, attributes)
          || (attributes.isRegularFile() && workspace.deniesReading(path))) {
        return;
      }
      if (level.rules().ignores(path, attributes.isDirectory())) {
        ignored = true;
      } else if (attributes.isRegularFile()) {
        visitor.visit(new VisitedFile(path, level.relative(), name, level.folder(), attributes));
      } else if (level.depth() == MAX_DEPTH) {
        complete = false;
      } else {
        below.add(new Below(level, name));
      }
    }
  }

  /** Opens a subdirectory when the task runs, while its parent is still open. */
  private final class Below extends RecursiveAction {

    private final transient Level level;
    private final transient Path name;

    Below(Level level, Path name) {
      this.level = level;
      this.name = name;
    }

    @Override
    protected void compute() {
      tryTo(() -> {
        try (var folder = level.folder().folder(name)) {
          inside(
              new Level(
                  folder,
                  level.relative().resolve(name),
                  level.path(name) + "/",
                  level.rules(),
                  level.depth() + 1));
        }
      });
    }
  }
}
