package dev.errand.tool.file;

import java.nio.file.Path;

/**
 * A path in the workspace with all links resolved.
 *
 * @param path relative to the workspace; empty for the workspace itself
 */
public record WorkspacePath(Path path, PathKind kind) {

  public enum PathKind {
    FILE,
    FOLDER,
    /** A FIFO, a device or a socket; never opened. */
    SPECIAL,
    MISSING
  }

  /** Returns the parent directory, relative to the workspace. */
  Path folder() {
    var parent = path.getParent();
    return parent == null ? Path.of("") : parent;
  }

  Path name() {
    return path.getFileName();
  }

  /** Returns the path for permission rules: with {@code /}, and {@code .} for the workspace. */
  public String subject() {
    var text = ShownPath.withSlashes(path);
    return text.isEmpty() ? "." : text;
  }

  /** Returns the path for results. */
  public String shown() {
    return ShownPath.of(path);
  }
}
