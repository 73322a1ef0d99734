package dev.errand.tool.file;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Follows one path from the workspace's root, link by link, and stops at the first step that would
 * leave the workspace – before looking there, so that an answer tells nothing of what is outside.
 */
public final class WorkspacePathResolver {

  /** Where the service keeps its own database by default: all sessions' transcripts. */
  public static final String SERVICE_DATA = ".errand";

  private static final int MAX_LINKS = 40;

  private final Workspace workspace;
  private final String asked;
  private final Deque<Path> ahead = new ArrayDeque<>();
  private Path here;
  private WorkspacePath.Kind kind = WorkspacePath.Kind.FOLDER;
  private int links;

  WorkspacePathResolver(Workspace workspace, String asked) {
    this.workspace = workspace;
    this.asked = asked;
    this.here = workspace.root();
  }

  WorkspacePath find(Path relative) throws IOException {
    putAhead(relative);
    while (!ahead.isEmpty() && kind != WorkspacePath.Kind.MISSING) {
      step(ahead.pop());
    }
    return kind == WorkspacePath.Kind.MISSING ? missing() : place(here, kind);
  }

  private void step(Path name) throws IOException {
    switch (name.toString()) {
      case "", "." -> {}
      case ".." -> up();
      default -> down(here.resolve(name));
    }
  }

  private void up() {
    var parent = here.getParent();
    if (here.equals(workspace.root()) || parent == null) {
      throw PathRefused.outside(asked);
    }
    here = parent;
    kind = WorkspacePath.Kind.FOLDER;
  }

  private void down(Path next) throws IOException {
    if (next.endsWith(SERVICE_DATA) || isHidden(next)) {
      throw new PathRefused(asked, "belongs to the service that runs you");
    }
    if (kind != WorkspacePath.Kind.FOLDER) {
      throw new PathRefused(asked, "does not exist: a part of the path is not a folder");
    }
    try {
      var attributes = Files.readAttributes(next, BasicFileAttributes.class, NOFOLLOW_LINKS);
      if (attributes.isSymbolicLink()) {
        follow(Files.readSymbolicLink(next));
      } else {
        here = next;
        kind = kindOf(attributes);
      }
    } catch (NoSuchFileException missing) {
      here = next;
      kind = WorkspacePath.Kind.MISSING;
    }
  }

  private boolean isHidden(Path next) {
    return workspace.hides(ShownPath.withSlashes(workspace.root().relativize(next)));
  }

  private void follow(Path target) {
    if (++links > MAX_LINKS) {
      throw new PathRefused(asked, "goes through too many symbolic links");
    }
    if (target.isAbsolute()) {
      here = workspace.root();
      putAhead(workspace.inside(target).orElseThrow(() -> PathRefused.outside(asked)));
    } else {
      putAhead(target);
    }
  }

  private void putAhead(Path path) {
    for (int i = path.getNameCount() - 1; i >= 0; i--) {
      ahead.push(path.getName(i));
    }
  }

  private WorkspacePath missing() {
    var path = here;
    for (var name : ahead) {
      if (name.toString().equals("..")) {
        throw new PathRefused(asked, "does not exist");
      }
      path = path.resolve(name);
    }
    return place(path, WorkspacePath.Kind.MISSING);
  }

  private WorkspacePath place(Path path, WorkspacePath.Kind found) {
    return new WorkspacePath(workspace.root().relativize(path), found);
  }

  private static WorkspacePath.Kind kindOf(BasicFileAttributes attributes) {
    if (attributes.isDirectory()) {
      return WorkspacePath.Kind.FOLDER;
    }
    return attributes.isRegularFile() ? WorkspacePath.Kind.FILE : WorkspacePath.Kind.SPECIAL;
  }
}
