package dev.errand.event;

import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;

/** The words that wait for one stream. When too many wait, further ones are dropped. */
public final class DeltaQueue implements AutoCloseable {

  private static final int MAX_WAITING = 64;

  /** Empty at the end of the stream. */
  private final BlockingQueue<Optional<MessageDelta>> waiting =
      new LinkedBlockingQueue<>(MAX_WAITING);

  private final Consumer<DeltaQueue> whenClosed;
  private volatile boolean closed;

  DeltaQueue(Consumer<DeltaQueue> whenClosed) {
    this.whenClosed = whenClosed;
  }

  /** Adds words if there is room. Does not block. */
  void add(MessageDelta delta) {
    var ignored = waiting.offer(Optional.of(delta));
  }

  /**
   * Blocks until there are words.
   *
   * @return empty when the queue is closed
   */
  public Optional<MessageDelta> next() throws InterruptedException {
    return closed ? Optional.empty() : waiting.take().filter(_ -> !closed);
  }

  /** Ends {@link #next}, and hears nothing more. */
  @Override
  public void close() {
    closed = true;
    whenClosed.accept(this);
    waiting.clear();
    var ignored = waiting.offer(Optional.empty());
  }
}
