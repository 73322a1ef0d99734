package dev.errand.tool;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Set;

/**
 * Visits the regular files below a folder in path order. Leaves out {@code .git}, the service's own
 * data, symbolic links and special files, and stops where a tree is beyond all measure.
 */
final class TreeWalk {

  /** Is told each file, with its folder open. */
  interface Visitor {
    void visit(Found file) throws IOException;
  }

  /**
   * A file on the way.
   *
   * @param path relative to the folder where the walk began
   */
  record Found(Path path, OpenFolder folder, BasicFileAttributes attributes) {

    long size() {
      return attributes.size();
    }

    FileTime modifiedAt() {
      return attributes.lastModifiedTime();
    }

    TextFile open() throws IOException {
      return TextFile.read(folder.file(path.getFileName()));
    }
  }

  /** What a result says when {@link #isComplete()} is false. */
  static final String INCOMPLETE =
      "(Not everything was searched: there is too much, or some folders cannot be read.)";

  private static final Set<String> LEFT_OUT = Set.of(".git", PlaceFinder.SERVICE_DATA);
  private static final int MAX_ENTRIES = 200_000;
  private static final int MAX_DEPTH = 64;

  private final Visitor visitor;
  private int entries;
  private boolean complete = true;

  TreeWalk(Visitor visitor) {
    this.visitor = visitor;
  }

  void walk(OpenFolder start) throws IOException {
    walk(start, Path.of(""), 1);
  }

  /** Whether all was visited; false when there was too much of it or a folder was closed to us. */
  boolean isComplete() {
    return complete;
  }

  private void walk(OpenFolder folder, Path path, int depth) throws IOException {
    for (var name : folder.names(MAX_ENTRIES)) {
      if (Thread.currentThread().isInterrupted()) {
        throw new ToolFailure("The call was interrupted.");
      }
      if (++entries > MAX_ENTRIES) {
        complete = false;
        return;
      }
      if (!LEFT_OUT.contains(name.toString())) {
        tryVisit(folder, path.resolve(name), depth);
      }
    }
  }

  private void tryVisit(OpenFolder folder, Path path, int depth) throws IOException {
    try {
      visit(folder, path, depth);
    } catch (NoSuchFileException gone) {
      // removed since its folder was read
    } catch (FileSystemException closedToUs) {
      complete = false;
    }
  }

  private void visit(OpenFolder folder, Path path, int depth) throws IOException {
    var attributes = folder.attributes(path.getFileName());
    if (attributes.isRegularFile()) {
      visitor.visit(new Found(path, folder, attributes));
    } else if (attributes.isDirectory() && depth == MAX_DEPTH) {
      complete = false;
    } else if (attributes.isDirectory()) {
      try (var below = folder.folder(path.getFileName())) {
        walk(below, path, depth + 1);
      }
    }
  }
}
