package dev.errand.tool;

/** A path argument that names nothing a file tool may touch. */
final class PathRefused extends ToolFailure {

  PathRefused(String asked, String why) {
    super(ShownPath.of(asked) + " " + why);
  }

  static PathRefused outside(String asked) {
    return new PathRefused(asked, "is outside the workspace; use a path relative to the workspace");
  }
}
