package dev.errand.tool.file;

import dev.errand.tool.ToolFailure;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/**
 * Serializes the changes of a file: the calls of one message, and sessions that share a workspace,
 * run concurrently.
 */
final class FileLocks {

  private static final List<ReentrantLock> LOCKS =
      Stream.generate(ReentrantLock::new).limit(256).toList();

  private FileLocks() {}

  /** A lock that the current thread holds. */
  interface Held extends AutoCloseable {
    @Override
    void close();
  }

  /** Waits until the lock of the file is available. */
  static Held lock(Path file) {
    var lock = LOCKS.get(Math.floorMod(file.hashCode(), LOCKS.size()));
    try {
      lock.lockInterruptibly();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw ToolFailure.interrupted();
    }
    return lock::unlock;
  }
}
