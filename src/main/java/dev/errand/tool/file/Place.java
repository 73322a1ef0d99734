package dev.errand.tool.file;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A path of a directory of the service.
 *
 * @param what the directory is
 * @param above the identities of the directories above it, the nearest first
 */
record Place(String what, Path path, @Nullable Object identity, List<Object> above) {

  static Place of(String what, Path path) {
    return new Place(what, path, ServiceFiles.identity(path), above(path));
  }

  /** Returns the path relative to a directory above it; empty if that is not above it. */
  Optional<Path> below(Path folder, @Nullable Object identity) {
    if (path.startsWith(folder) && !path.equals(folder)) {
      return Optional.of(folder.relativize(path));
    }
    var at = identity == null ? -1 : above.indexOf(identity);
    var names = path.getNameCount();
    return at < 0 ? Optional.empty() : Optional.of(path.subpath(names - at - 1, names));
  }

  private static List<Object> above(Path path) {
    var found = new ArrayList<Object>();
    for (var part = path.getParent(); part != null; part = part.getParent()) {
      var identity = ServiceFiles.identity(part);
      found.add(identity == null ? part : identity);
    }
    return List.copyOf(found);
  }
}
