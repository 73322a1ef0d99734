package dev.errand.tool.file;

import java.io.IOException;
import java.nio.file.Path;

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
    if (isInGitDirectory(path.path())) {
      // a hook or a setting there would run code of the model when git is used
      throw new PathRefused(asked, "belongs to git and cannot be changed");
    }
    if (workspace.isDefinition(path)) {
      throw new PathRefused(asked, "configures the agents of the service and cannot be changed");
    }
    if (path.kind() == WorkspacePath.Kind.FILE && workspace.hasOtherNames(path.path())) {
      throw new PathRefused(asked, "has more than one hard link and cannot be changed");
    }
    return path;
  }

  private static boolean isInGitDirectory(Path path) {
    for (Path name : path) {
      if (name.toString().equalsIgnoreCase(".git")) {
        return true;
      }
    }
    return false;
  }
}
