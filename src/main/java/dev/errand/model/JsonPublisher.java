package dev.errand.model;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.Flow.Subscriber;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Sends a JSON value of known length. Its text is not kept while the endpoint answers; it is
 * written again if the client repeats the request on another connection.
 */
final class JsonPublisher implements BodyPublisher {

  private final JsonNode value;
  private final AtomicReference<byte @Nullable []> unsent;
  private final long length;

  JsonPublisher(JsonNode value) {
    var bytes = bytes(value);
    this.value = value;
    this.unsent = new AtomicReference<>(bytes);
    this.length = bytes.length;
  }

  @Override
  public long contentLength() {
    return length;
  }

  @Override
  public void subscribe(Subscriber<? super ByteBuffer> subscriber) {
    var bytes = Optional.ofNullable(unsent.getAndSet(null)).orElseGet(() -> bytes(value));
    BodyPublishers.ofByteArray(bytes).subscribe(subscriber);
  }

  private static byte[] bytes(JsonNode value) {
    return value.toString().getBytes(UTF_8);
  }
}
