package dev.errand.tool.file;

import java.io.IOException;

/** Resolves path arguments of tools that change or create files. */
final class WritablePaths {

  private final Workspace workspace;

  WritablePaths(Workspace workspace) {
    this.workspace = workspace;
  }

  /**
   * @throws PathRefused the path is not a file that may be changed or created
   */
  WorkspacePath find(String asked) throws IOException {
    var path = workspace.find(asked);
    switch (path.kind()) {
      case FOLDER -> throw new PathRefused(asked, "is a directory");
      case SPECIAL -> throw new PathRefused(asked, "is neither a file nor a directory");
      case FILE, MISSING -> {}
    }
    if (workspace.deniesWriting(path.subject()) || workspace.deniesWriting(asked)) {
      throw new PathRefused(
          asked, "cannot be changed: its name is on the list errand.tools.deny-write");
    }
    if (path.kind() == WorkspacePath.PathKind.FILE && workspace.hasOtherNames(path.path())) {
      throw new PathRefused(asked, "has more than one hard link and cannot be changed");
    }
    return path;
  }
}
