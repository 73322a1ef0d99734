package dev.errand.tool;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Puts new content in the place of a file's, or makes the file, all at once. */
final class FileReplacer {

  static final int MAX_BYTES = 5 * 1024 * 1024;

  private final Workspace workspace;

  FileReplacer(Workspace workspace) {
    this.workspace = workspace;
  }

  /** Where {@code asked} leads, when it is a file that may be changed or may be made. */
  Place find(String asked) throws IOException {
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
    if (place.kind() == Place.Kind.FILE && workspace.hasOtherNames(place)) {
      throw new PathRefused(asked, "has more than one hard link and is not changed");
    }
    return place;
  }

  /** Writes the content as UTF-8 and makes the folders that are missing; the bytes written. */
  int replace(Place file, String content) throws IOException {
    var bytes = content.getBytes(StandardCharsets.UTF_8);
    if (bytes.length > MAX_BYTES) {
      throw new PathRefused(
          file.subject(),
          "would have %d bytes; at most %d are written".formatted(bytes.length, MAX_BYTES));
    }
    workspace.createFolders(file);
    try (var folder = workspace.openFolder(file.folder())) {
      folder.replace(file.name(), bytes);
    }
    return bytes.length;
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
