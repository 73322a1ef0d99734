package dev.errand.model;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.JsonText;
import java.io.IOException;
import java.io.OutputStream;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.Optional;
import java.util.concurrent.Flow.Subscriber;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends a request in JSON. Neither the request nor its text is kept while the endpoint answers;
 * both are made again if the client repeats the request on another connection.
 */
final class JsonPublisher implements BodyPublisher {

  private final Supplier<ObjectNode> request;
  private final Runnable whenSent;
  private final AtomicReference<byte @Nullable []> unsent;
  private final long length;
  private final boolean isStream;

  /**
   * @param request makes the same request each time
   * @param whenSent called when all was sent; may be called several times, and by another thread
   */
  JsonPublisher(Supplier<ObjectNode> request, Runnable whenSent) {
    var made = request.get();
    var bytes = bytes(made);
    this.request = request;
    this.whenSent = whenSent;
    this.unsent = new AtomicReference<>(bytes);
    this.length = bytes.length;
    this.isStream = made.path("stream").asBoolean();
  }

  /** Returns whether the answer is expected to begin before it is complete. */
  boolean isStream() {
    return isStream;
  }

  @Override
  public long contentLength() {
    return length;
  }

  @Override
  public void subscribe(Subscriber<? super ByteBuffer> subscriber) {
    BodyPublishers.ofByteArrays(SinglePart::new).subscribe(subscriber);
  }

  /** Writes the whole request. */
  void writeTo(OutputStream target) throws IOException {
    target.write(take());
    whenSent.run();
  }

  private byte[] take() {
    return Optional.ofNullable(unsent.getAndSet(null)).orElseGet(() -> bytes(request.get()));
  }

  private static byte[] bytes(JsonNode value) {
    return JsonText.of(value).getBytes(UTF_8);
  }

  /** The text in one part. The client keeps this as long as the exchange. */
  private final class SinglePart implements Iterator<byte[]> {

    private boolean taken;

    /** The client asks again when it has sent the part. */
    @Override
    public boolean hasNext() {
      if (taken) {
        whenSent.run();
      }
      return !taken;
    }

    @Override
    public byte[] next() {
      taken = true;
      return take();
    }
  }
}
