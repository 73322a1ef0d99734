import java.util.concurrent.atomic.AtomicLong;

/** Counts the tasks that have ended, and those whose result a parent has received. */
final class Progress {

  private final Level level;
  private final AtomicLong ended = new AtomicLong();
  private final AtomicLong delivered = new AtomicLong();

  Progress(Level level) {
    this.level = level;
  }

  void ended() {
    ended.incrementAndGet();
  }

  void delivered() {
    delivered.incrementAndGet();
  }

  /** Returns how many tasks need nothing more. */
  long done() {
    return level == Level.BARE ? ended.get() : Math.min(ended.get(), delivered.get());
  }
}
