package dev.errand.model;

import dev.errand.model.ModelException.Code;
import java.io.InputStream;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The body of a response, read while it arrives. Unlike the body stream of the JDK, reading
 * respects the {@link Timeouts} and a limit of its size, and ends at an interrupt. Every fault of
 * reading is a {@link ModelException}.
 */
final class TimedBody extends InputStream
    implements BodyHandler<TimedBody>, BodySubscriber<TimedBody> {

  private sealed interface BodySignal {
    record BodyChunk(List<ByteBuffer> buffers) implements BodySignal {}

    record BodyBroken(Throwable cause) implements BodySignal {}

    record BodyEnd() implements BodySignal {}
  }

  private final Endpoint endpoint;
  private final Timeouts timeouts;
  private final long startedAt = System.nanoTime();
  private final BlockingQueue<BodySignal> signals = new LinkedBlockingQueue<>();
  private final Queue<ByteBuffer> unread = new ArrayDeque<>();
  private volatile @Nullable Subscription subscription;
  private volatile boolean announced;
  private long bytesLeft;
  private boolean begun;
  private boolean ended;

  TimedBody(Endpoint endpoint, Timeouts timeouts, long maxBytes) {
    this.endpoint = endpoint;
    this.timeouts = timeouts;
    this.bytesLeft = maxBytes;
  }

  @Override
  public BodySubscriber<TimedBody> apply(ResponseInfo headers) {
    return this;
  }

  /** Returns whether the headers have arrived, so that a later fault interrupts an answer. */
  boolean announced() {
    return announced;
  }

  ModelException brokenOff(Throwable cause) {
    return endpoint.fault(
        Code.MODEL_UNREACHABLE, "closed the connection before its answer was complete.", cause);
  }

  @Override
  public CompletionStage<TimedBody> getBody() {
    return CompletableFuture.completedStage(this);
  }

  @Override
  public void onSubscribe(Subscription subscription) {
    this.subscription = subscription;
    announced = true;
    subscription.request(1);
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    signals.add(new BodySignal.BodyChunk(buffers));
  }

  @Override
  public void onError(Throwable cause) {
    signals.add(new BodySignal.BodyBroken(cause));
  }

  @Override
  public void onComplete() {
    signals.add(new BodySignal.BodyEnd());
  }

  @Override
  public int read() {
    var one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
  }

  @Override
  public int read(byte[] target, int offset, int length) {
    while (!ended && length > 0) {
      var buffer = unread.peek();
      if (buffer == null) {
        take(next());
      } else if (!buffer.hasRemaining()) {
        unread.remove();
      } else {
        var count = Math.min(length, buffer.remaining());
        buffer.get(target, offset, count);
        countDown(count);
        return count;
      }
    }
    return ended ? -1 : 0;
  }

  private void countDown(int bytes) {
    bytesLeft -= bytes;
    if (bytesLeft < 0) {
      close();
      throw endpoint.fault(Code.MODEL_BAD_RESPONSE, "sent an answer that is too long.");
    }
  }

  /** Closes the connection unless the body was read completely. */
  @Override
  public void close() {
    var running = subscription;
    if (!ended && running != null) {
      running.cancel();
    }
    ended = true;
  }

  private void take(BodySignal signal) {
    begun = true;
    switch (signal) {
      case BodySignal.BodyChunk chunk -> {
        unread.addAll(chunk.buffers());
        if (subscription instanceof Subscription running) {
          running.request(1);
        }
      }
      case BodySignal.BodyBroken broken -> throw brokenOff(broken.cause());
      case BodySignal.BodyEnd _ -> ended = true;
    }
  }

  private BodySignal next() {
    try {
      var signal = signals.poll(limit().toNanos(), TimeUnit.NANOSECONDS);
      if (signal != null) {
        return signal;
      }
    } catch (InterruptedException interrupted) {
      close();
      Thread.currentThread().interrupt();
      throw endpoint.fault(
          Code.MODEL_INTERRUPTED, "was called, but the call was interrupted.", interrupted);
    }
    close();
    throw endpoint.fault(Code.MODEL_TIMEOUT, "paused its answer for too long.");
  }

  private Duration limit() {
    var spent = Duration.ofNanos(System.nanoTime() - startedAt);
    var left = timeouts.total().minus(spent);
    var step = begun ? timeouts.chunk() : timeouts.firstByte().minus(spent);
    return step.compareTo(left) < 0 ? step : left;
  }

  /**
   * The time limits of one call.
   *
   * @param firstByte until the answer begins
   * @param chunk for a pause within the answer
   * @param total for the whole call
   */
  record Timeouts(Duration firstByte, Duration chunk, Duration total) {

    static Timeouts whole(ModelConfig config) {
      return new Timeouts(config.totalTimeout(), config.chunkTimeout(), config.totalTimeout());
    }

    static Timeouts streamed(ModelConfig config) {
      return new Timeouts(config.firstByteTimeout(), config.chunkTimeout(), config.totalTimeout());
    }
  }
}
