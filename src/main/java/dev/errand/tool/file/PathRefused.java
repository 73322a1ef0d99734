package dev.errand.tool.file;

import dev.errand.tool.ToolFailure;

/** A path argument that names nothing a file tool may touch. */
public final class PathRefused extends ToolFailure {

  public PathRefused(String asked, String why) {
    super(ShownPath.of(asked) + " " + why);
  }

  static PathRefused outside(String asked) {
    return new PathRefused(asked, "is outside the workspace; use a path relative to the workspace");
  }
}
