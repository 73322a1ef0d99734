package dev.errand.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.errand.auth.OpenRequests;
import dev.errand.event.CloudEvent;
import dev.errand.event.CloudEvent.StoredEvent;
import io.vertx.core.Vertx;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Writes server-sent events to one client. Each write waits until the client has read enough of the
 * previous ones; a client that reads nothing for too long is disconnected. Several threads may
 * write.
 */
public final class SseWriter {

  private final OutputStream out;
  private final RoutingContext request;
  private final Vertx vertx;
  private final Duration timeout;
  private final ObjectMapper mapper;
  private final ReentrantLock lock = new ReentrantLock();

  SseWriter(OutputStream out, RoutingContext request, Sse sse) {
    this.out = out;
    this.request = request;
    this.vertx = sse.vertx();
    this.timeout = sse.timeout();
    this.mapper = sse.mapper();
  }

  /** The objects that all streams of a node share. */
  record Sse(Vertx vertx, Duration timeout, ObjectMapper mapper) {}

  public void events(List<StoredEvent> events) throws IOException {
    var text = new StringBuilder();
    for (var stored : events) {
      text.append("id: ").append(stored.number());
      text.append("\n").append(text(stored.event()));
    }
    write(text.toString());
  }

  /** Writes an event that has no position. */
  public void unnumbered(CloudEvent event) throws IOException {
    write(text(event));
  }

  /** Writes one JSON document as the event {@code message}. */
  public void message(JsonNode document) throws IOException {
    write("event: message\ndata: " + mapper.writeValueAsString(document) + "\n\n");
  }

  /**
   * Writes a comment, which clients ignore: it keeps the connection open and detects a closed one.
   */
  public void comment() throws IOException {
    write(":\n\n");
  }

  /** Tells the client how long to wait before it reconnects. */
  public void retry(Duration after) throws IOException {
    write("retry: " + after.toMillis() + "\n\n");
  }

  public boolean isClosed() {
    return request.response().closed();
  }

  /** Returns whether this service has ended the stream, because its caller is no longer valid. */
  public boolean isRevoked() {
    return OpenRequests.haveClosed(request);
  }

  private String text(CloudEvent event) throws JsonProcessingException {
    return "event: " + event.type() + "\ndata: " + mapper.writeValueAsString(event) + "\n\n";
  }

  private void write(String text) throws IOException {
    lock.lock();
    try {
      writeAlone(text);
    } finally {
      lock.unlock();
    }
  }

  private void writeAlone(String text) throws IOException {
    var timer = vertx.setTimer(timeout.toMillis(), _ -> request.response().reset());
    try {
      out.write(text.getBytes(StandardCharsets.UTF_8));
      out.flush();
    } finally {
      vertx.cancelTimer(timer);
    }
  }
}
