package dev.errand.tool.file;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The identities of directories, wherever they are moved to. Each directory is kept open: as long
 * as it is, the file system gives its identity to no new file, even after it was deleted.
 */
final class DirectoryIdentities implements Closeable {

  private final Set<Object> identities = ConcurrentHashMap.newKeySet();
  private final Queue<DirectoryStream<Path>> open = new ConcurrentLinkedQueue<>();

  /** Idempotent. A directory that does not exist is not remembered. */
  void remember(Place place) {
    var identity = place.identity();
    if (identity != null && identities.add(identity)) {
      try {
        open.add(Files.newDirectoryStream(place.path()));
      } catch (IOException notOpened) {
        // it stays known; should it be deleted, a new file may be taken for it
      }
    }
  }

  /** A view that grows. */
  Set<Object> all() {
    return identities;
  }

  @Override
  public void close() throws IOException {
    for (var directory : open) {
      directory.close();
    }
  }
}
