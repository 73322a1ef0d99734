package dev.errand.tool.file;

import java.io.IOException;
import java.nio.file.Path;

/** Finds the files that a session may change or make. */
final class ChangeablePlaces {

  private final Workspace workspace;

  ChangeablePlaces(Workspace workspace) {
    this.workspace = workspace;
  }

  /** Where {@code asked} leads, when it is a file that may be changed or may be made. */
  WorkspacePath find(String asked) throws IOException {
    var place = workspace.find(asked);
    switch (place.kind()) {
      case FOLDER -> throw new PathRefused(asked, "is a folder");
      case SPECIAL -> throw new PathRefused(asked, "is neither a file nor a folder");
      case FILE, MISSING -> {}
    }
    if (isOfGit(place.path())) {
      // a hook or a setting there would run code of the model's when somebody uses git
      throw new PathRefused(asked, "belongs to git and is not changed");
    }
    if (workspace.isDefinition(place)) {
      throw new PathRefused(asked, "tells the service what agents may do and is not changed");
    }
    if (place.kind() == WorkspacePath.Kind.FILE && workspace.hasOtherNames(place.path())) {
      throw new PathRefused(asked, "has more than one hard link and is not changed");
    }
    return place;
  }

  private static boolean isOfGit(Path path) {
    for (Path name : path) {
      if (name.toString().equalsIgnoreCase(".git")) {
        return true;
      }
    }
    return false;
  }
}
