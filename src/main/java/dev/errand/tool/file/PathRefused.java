package dev.errand.tool.file;

import dev.errand.tool.ToolFailure;

/** A path argument that the file tools refuse. */
final class PathRefused extends ToolFailure {

  PathRefused(String asked, String why) {
    super(ShownPath.of(asked) + " " + why);
  }

  static PathRefused outside(String asked) {
    return new PathRefused(asked, "is outside the workspace; use a path relative to the workspace");
  }
}
