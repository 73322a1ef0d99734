package dev.errand.node;

import java.time.Duration;
import java.util.function.Supplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * A copy in memory of rows that all nodes share and that rarely change. Its owner decides when it
 * is read again.
 */
public final class LocalCopy<T> {

  private static final Logger LOG = Logger.getLogger(LocalCopy.class);

  private final String name;
  private final Supplier<T> rows;
  private volatile @Nullable TimedRead<T> last;

  /**
   * @param began on the monotonic clock
   */
  private record TimedRead<T>(T value, long began) {}

  /**
   * @param name of the rows in log messages, such as "tenants"
   * @param rows reads the rows; it may fail
   */
  public LocalCopy(String name, Supplier<T> rows) {
    this.name = name;
    this.rows = rows;
  }

  /** Returns the copy, which is read first when there is none. */
  public T get() {
    var known = last;
    return known == null ? refresh() : known.value();
  }

  /** Reads the rows again; one at a time, so that an older copy does not replace a newer one. */
  public synchronized T refresh() {
    var began = System.nanoTime();
    var fresh = new TimedRead<>(rows.get(), began);
    last = fresh;
    return fresh.value();
  }

  /**
   * Reads the rows again after a change that is committed. A failure is logged only, because the
   * change was made: the next regular look at the rows finds it.
   */
  public void refreshAfterChange() {
    try {
      var ignored = refresh();
    } catch (RuntimeException fault) {
      LOG.warnf(fault, "The %s could not be read after a change; they are read again", name);
    }
  }

  /** Returns whether the rows were last read longer ago than this, or never. */
  public boolean isOlderThan(Duration age) {
    var known = last;
    return known == null || System.nanoTime() - known.began() > age.toNanos();
  }
}
