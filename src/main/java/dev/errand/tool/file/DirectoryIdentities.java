package dev.errand.tool.file;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * The identities of directories, wherever they are moved to. Each directory is kept open: as long
 * as it is, the file system gives its identity to no new file, even after it was deleted.
 */
final class DirectoryIdentities implements Closeable {

  private final Set<Object> identities = ConcurrentHashMap.newKeySet();
  private final Queue<DirectoryStream<Path>> open = new ConcurrentLinkedQueue<>();

  /** Remembers a directory; one that does not exist is left out. Idempotent. */
  void remember(ServiceDirectory place) {
    var identity = place.identity();
    if (identity != null && identities.add(identity)) {
      try {
        open.add(Files.newDirectoryStream(place.path()));
      } catch (IOException notOpened) {
        // it stays known; should it be deleted, a new file may be taken for it
      }
    }
  }

  /** Returns a view of the identities, which grows. */
  Set<Object> all() {
    return identities;
  }

  @Override
  public void close() throws IOException {
    for (var directory : open) {
      directory.close();
    }
  }

  /**
   * A path of a directory of the service.
   *
   * @param what the directory is
   * @param above the identities of the directories above it, the nearest first
   */
  record ServiceDirectory(String what, Path path, @Nullable Object identity, List<Object> above) {

    static ServiceDirectory of(String what, Path path) {
      return new ServiceDirectory(what, path, ServiceFiles.identity(path), above(path));
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
}
