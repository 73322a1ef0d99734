package dev.errand.run;

import dev.errand.postgres.SqlErrors;
import dev.errand.time.Backoff;
import java.time.Duration;
import java.util.function.Predicate;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * A write of a run that is repeated while the database is unavailable or busy, so that an answer of
 * a model or of a tool is not lost, and not asked for again. The fence of the session decides
 * whether a repetition may still write. A tool call that may be repeated counts as a write, and so
 * does the claim of the session.
 */
final class PersistentWrite {

  private static final Logger LOG = Logger.getLogger(PersistentWrite.class);

  private static final Duration LONGEST = Duration.ofSeconds(30);
  private static final Backoff PAUSE = new Backoff(Duration.ofMillis(200), Duration.ofSeconds(2));

  private PersistentWrite() {}

  /** A write that is safe to repeat although an earlier attempt may have been committed. */
  interface RepeatableWrite<T> {

    /**
     * @param again whether an earlier attempt may have been committed without an answer
     */
    T attempt(boolean again);
  }

  /** The write failed for the whole time, or the process stops. */
  private static final class NotWritten extends RuntimeException {

    private static final long serialVersionUID = 1;

    private NotWritten(RuntimeException fault) {
      super("a write of a run could not be repeated any longer", fault);
    }
  }

  /** Returns whether an exception comes from a write that was repeated until the time was over. */
  static boolean gaveUp(@Nullable Throwable fault) {
    return fault instanceof NotWritten || (fault != null && gaveUp(fault.getCause()));
  }

  /**
   * Writes, and repeats the write for 30 s after transient errors of the database.
   *
   * @throws dev.errand.session.LeaseLost the run lost its session
   * @throws RuntimeException the write was refused, or failed until the end; {@link #gaveUp} tells
   *     the latter
   */
  static <T> T until(Run run, RepeatableWrite<T> write) {
    return until(run::isInterruptedIn, write);
  }

  /**
   * Repeats a write before there is a run.
   *
   * @param isInterruptedIn waits, and returns whether the process stops
   */
  static <T> T until(Predicate<Duration> isInterruptedIn, RepeatableWrite<T> write) {
    var since = System.nanoTime();
    for (int attempt = 1; ; attempt++) {
      try {
        return write.attempt(attempt > 1);
      } catch (RuntimeException fault) {
        if (!SqlErrors.isTransient(fault)) {
          throw fault;
        }
        if (System.nanoTime() - since > LONGEST.toNanos()
            || isInterruptedIn.test(PAUSE.after(attempt))) {
          throw new NotWritten(fault);
        }
        LOG.warnf("A write of a run failed and is repeated: %s", fault.getMessage());
      }
    }
  }

  /** Repeats a write without a result. */
  static void until(Run run, Runnable write) {
    var ignored =
        until(
            run,
            _ -> {
              write.run();
              return true;
            });
  }
}
