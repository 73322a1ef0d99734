package dev.errand.tool.search;

import dev.errand.tool.file.OpenFolder;
import dev.errand.tool.file.Replacement;
import dev.errand.tool.file.TextFile;
import dev.errand.tool.file.Workspace;
import dev.errand.tool.file.WorkspacePath;
import dev.errand.tool.file.WorkspacePathResolver;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RecursiveAction;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Visits the regular files below a folder, on several threads and in no order. Leaves out what git
 * ignores, {@code .git}, the service's own data, symbolic links and special files, and stops where
 * a tree is beyond all measure.
 */
final class TreeWalk {

  /** Is told each file, with its folder open; by several threads at once. */
  interface Visitor {
    void visit(Found file) throws IOException;
  }

  /**
   * A file on the way.
   *
   * @param path relative to the workspace, with {@code /}
   * @param start how much of it leads to the folder where the walk began
   */
  record Found(
      String path, int start, Path name, OpenFolder folder, BasicFileAttributes attributes) {

    /** Its path relative to the folder where the walk began. */
    String fromStart() {
      return path.substring(start);
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

  private static final Set<String> LEFT_OUT = Set.of(".git", WorkspacePathResolver.SERVICE_DATA);
  private static final int MAX_ENTRIES = 200_000;
  private static final int MAX_DEPTH = 64;

  /** So many entries of a folder are looked at by one thread; more are shared out. */
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

  /** Walks the folder; on return nothing of it goes on any more. */
  void walk(WorkspacePath start) throws IOException {
    var prefix = IgnoreRules.folderPrefix(start.path());
    var rules = IgnoreRules.above(workspace, start.path());
    try (var folder = workspace.openFolder(start.path())) {
      SearchThreads.run(
          cancel,
          new RecursiveAction() {
            @Override
            protected void compute() {
              tryTo(() -> inside(new Level(folder, prefix, prefix.length(), rules, 1)));
            }
          });
    }
  }

  /** What a result says of what was left out; empty when there is nothing to say. */
  String remark(boolean nothingFound) {
    if (!complete) {
      return "\n(Not everything was searched: there is too much, or some folders cannot be read.)";
    }
    return ignored && nothingFound
        ? "\n(Not searched: what .gitignore excludes. To search there, name such a folder as path.)"
        : "";
  }

  /**
   * An open folder on the way.
   *
   * @param prefix its path in the workspace with a slash behind; empty for the workspace itself
   */
  private record Level(OpenFolder folder, String prefix, int start, IgnoreRules rules, int depth) {

    String path(Path name) {
      return prefix + name;
    }
  }

  private interface Step {
    void run() throws IOException;
  }

  private void tryTo(Step step) {
    try {
      step.run();
    } catch (NoSuchFileException gone) {
      // removed since its folder was read
    } catch (IOException closedToUs) {
      complete = false;
    }
  }

  private void inside(Level outer) throws IOException {
    var names = outer.folder().names(MAX_ENTRIES);
    var rules = outer.rules().in(outer.folder(), names, outer.prefix());
    var level = new Level(outer.folder(), outer.prefix(), outer.start(), rules, outer.depth());
    var parts = new ArrayList<Part>();
    for (int from = 0; from < names.size(); from += PART) {
      parts.add(new Part(level, names.subList(from, Math.min(names.size(), from + PART))));
    }
    RecursiveAction.invokeAll(parts);
  }

  /** Some entries of a folder, and all that is below them. */
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
        if (cancel.isCancelled()) {
          return;
        }
        if (entries.incrementAndGet() > MAX_ENTRIES) {
          complete = false;
          break;
        }
        if (!isLeftOut(name.toString())) {
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
      if (workspace.hides(path)) {
        return;
      }
      if (level.rules().ignore(path, attributes.isDirectory())) {
        ignored = true;
      } else if (attributes.isRegularFile()) {
        visitor.visit(new Found(path, level.start(), name, level.folder(), attributes));
      } else if (level.depth() == MAX_DEPTH) {
        complete = false;
      } else {
        below.add(new Below(level, name));
      }
    }
  }

  /** A folder that is opened when its turn comes, while the one above is still open. */
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
                  folder, level.path(name) + "/", level.start(), level.rules(), level.depth() + 1));
        }
      });
    }
  }

  private static boolean isLeftOut(String name) {
    return LEFT_OUT.contains(name) || Replacement.isTemporary(name);
  }
}
