package dev.errand.tool.file;

import dev.errand.tool.ToolFailure;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/**
 * Lets changes of one file follow each other: the calls of one message run side by side, and so do
 * the sessions that share a workspace.
 */
final class FileLocks {

  private static final List<ReentrantLock> LOCKS =
      Stream.generate(ReentrantLock::new).limit(256).toList();

  private FileLocks() {}

  /** A lock that is held. */
  interface Held extends AutoCloseable {
    @Override
    void close();
  }

  /** Waits for its turn with this file. */
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
