package dev.errand.model;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.JsonRecyclerPools;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
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

  /** Its buffers are shared, because a thread that waits for an answer would keep its own. */
  private static final JsonMapper JSON =
      JsonMapper.builder(
              JsonFactory.builder()
                  .recyclerPool(JsonRecyclerPools.sharedConcurrentDequePool())
                  .build())
          .build();

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

  /** Returns the JSON of a value. */
  static String text(JsonNode value) {
    try {
      return JSON.writeValueAsString(value);
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException("a tree is always JSON", impossible);
    }
  }

  private static byte[] bytes(JsonNode value) {
    return text(value).getBytes(UTF_8);
  }
}
