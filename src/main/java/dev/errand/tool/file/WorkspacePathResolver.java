package dev.errand.tool.file;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Resolves one path from the root of the workspace, link by link. Stops at the first step that
 * would leave the workspace, before any access there, so that the answer reveals nothing about
 * files outside.
 */
final class WorkspacePathResolver {

  /** The default directory of the database of the service, with the transcripts of all sessions. */
  static final String SERVICE_DATA = ".errand";

  private static final int MAX_LINKS = 40;

  private final Workspace workspace;
  private final String asked;
  private final Deque<Path> remaining = new ArrayDeque<>();
  private Path current;
  private WorkspacePath.PathKind kind = WorkspacePath.PathKind.FOLDER;
  private int links;

  WorkspacePathResolver(Workspace workspace, String asked) {
    this.workspace = workspace;
    this.asked = asked;
    this.current = workspace.root();
  }

  WorkspacePath find(Path relative) throws IOException {
    push(relative);
    while (!remaining.isEmpty() && kind != WorkspacePath.PathKind.MISSING) {
      step(remaining.pop());
    }
    return kind == WorkspacePath.PathKind.MISSING ? missing() : resolved(current, kind);
  }

  private void step(Path name) throws IOException {
    switch (name.toString()) {
      case "", "." -> {}
      case ".." -> up();
      default -> down(current.resolve(name));
    }
  }

  private void up() {
    var parent = current.getParent();
    if (current.equals(workspace.root()) || parent == null) {
      throw PathRefused.outside(asked);
    }
    current = parent;
    kind = WorkspacePath.PathKind.FOLDER;
  }

  private void down(Path next) throws IOException {
    checkService(next, null);
    if (kind != WorkspacePath.PathKind.FOLDER) {
      throw new PathRefused(asked, "does not exist: a part of the path is not a directory");
    }
    try {
      var attributes = Files.readAttributes(next, BasicFileAttributes.class, NOFOLLOW_LINKS);
      checkService(next, attributes);
      if (!attributes.isDirectory() && workspace.deniesReading(relative(next))) {
        throw new PathRefused(
            asked, "cannot be read: its name is on the list errand.tools.deny-read");
      }
      if (attributes.isSymbolicLink()) {
        follow(Files.readSymbolicLink(next));
      } else {
        current = next;
        kind = kindOf(attributes);
      }
    } catch (NoSuchFileException missing) {
      current = next;
      kind = WorkspacePath.PathKind.MISSING;
    }
  }

  private void checkService(Path next, @Nullable BasicFileAttributes attributes) {
    if (workspace.belongsToService(relative(next), attributes)) {
      throw new PathRefused(asked, "belongs to the service and cannot be accessed");
    }
  }

  private String relative(Path path) {
    return ShownPath.withSlashes(workspace.root().relativize(path));
  }

  private void follow(Path target) {
    if (++links > MAX_LINKS) {
      throw new PathRefused(asked, "leads through too many symbolic links");
    }
    if (target.isAbsolute()) {
      current = workspace.root();
      push(workspace.inside(target).orElseThrow(() -> PathRefused.outside(asked)));
    } else {
      push(target);
    }
  }

  private void push(Path path) {
    for (int i = path.getNameCount() - 1; i >= 0; i--) {
      remaining.push(path.getName(i));
    }
  }

  private WorkspacePath missing() {
    var path = current;
    for (var name : remaining) {
      if (name.toString().equals("..")) {
        throw new PathRefused(asked, "does not exist");
      }
      path = path.resolve(name);
      checkService(path, null);
    }
    return resolved(path, WorkspacePath.PathKind.MISSING);
  }

  private WorkspacePath resolved(Path path, WorkspacePath.PathKind found) {
    return new WorkspacePath(workspace.root().relativize(path), found);
  }

  private static WorkspacePath.PathKind kindOf(BasicFileAttributes attributes) {
    if (attributes.isDirectory()) {
      return WorkspacePath.PathKind.FOLDER;
    }
    return attributes.isRegularFile()
        ? WorkspacePath.PathKind.FILE
        : WorkspacePath.PathKind.SPECIAL;
  }
}
