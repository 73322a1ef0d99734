package dev.errand.tool.file;

import java.nio.file.Path;

/**
 * Where a path argument leads inside the workspace, all links resolved.
 *
 * @param path relative to the workspace; empty for the workspace itself
 */
public record WorkspacePath(Path path, Kind kind) {

  public enum Kind {
    FILE,
    FOLDER,
    /** A FIFO, a device, a socket: never opened. */
    SPECIAL,
    MISSING
  }

  /** The folder that holds it, relative to the workspace. */
  Path folder() {
    var parent = path.getParent();
    return parent == null ? Path.of("") : parent;
  }

  Path name() {
    return path.getFileName();
  }

  /** How permission rules name it: with {@code /}, and {@code .} for the workspace itself. */
  public String subject() {
    var text = ShownPath.withSlashes(path);
    return text.isEmpty() ? "." : text;
  }

  /** How results name it. */
  public String shown() {
    return ShownPath.of(path);
  }
}
