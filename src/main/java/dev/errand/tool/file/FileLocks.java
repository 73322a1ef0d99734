package dev.errand.tool.file;

import dev.errand.tool.ToolFailure;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
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

  /** The files that the current thread has locked. */
  interface LockedFiles extends AutoCloseable {
    @Override
    void close();
  }

  /** Waits until the lock of the file is available. */
  static LockedFiles lock(Path file) {
    return lock(List.of(file));
  }

  /** Waits until the locks of all files are available; takes them in one order. */
  static LockedFiles lock(Collection<Path> files) {
    var locks = new ArrayList<ReentrantLock>();
    LockedFiles all = () -> locks.forEach(ReentrantLock::unlock);
    try {
      for (int number : files.stream().mapToInt(FileLocks::number).sorted().distinct().toArray()) {
        LOCKS.get(number).lockInterruptibly();
        locks.add(LOCKS.get(number));
      }
      return all;
    } catch (InterruptedException interrupted) {
      all.close();
      Thread.currentThread().interrupt();
      throw ToolFailure.interrupted();
    }
  }

  private static int number(Path file) {
    return Math.floorMod(file.hashCode(), LOCKS.size());
  }
}
