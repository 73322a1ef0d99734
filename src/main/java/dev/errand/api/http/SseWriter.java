package dev.errand.api.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.errand.event.StoredEvent;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/**
 * Writes server-sent events to one client. Each write waits until the client has taken enough of
 * what was written before; one that takes nothing for too long is cut off.
 */
public final class SseWriter {

  private final OutputStream out;
  private final HttpServerResponse response;
  private final Vertx vertx;
  private final Duration patience;
  private final ObjectMapper mapper;

  public SseWriter(OutputStream out, HttpServerResponse response, Sse sse) {
    this.out = out;
    this.response = response;
    this.vertx = sse.vertx();
    this.patience = sse.patience();
    this.mapper = sse.mapper();
  }

  /** What all streams of a node share. */
  public record Sse(Vertx vertx, Duration patience, ObjectMapper mapper) {}

  public void events(List<StoredEvent> events) throws IOException {
    var text = new StringBuilder();
    for (var stored : events) {
      text.append("id: ").append(stored.number());
      text.append("\nevent: ").append(stored.event().type());
      text.append("\ndata: ").append(json(stored)).append("\n\n");
    }
    write(text.toString());
  }

  /** Something that clients ignore: keeps the connection open, and shows whether it still is. */
  public void comment() throws IOException {
    write(":\n\n");
  }

  /** Tells the client to come back after a while, should the stream end. */
  public void retry(Duration after) throws IOException {
    write("retry: " + after.toMillis() + "\n\n");
  }

  public boolean clientIsGone() {
    return response.closed();
  }

  private String json(StoredEvent stored) throws JsonProcessingException {
    return mapper.writeValueAsString(stored.event());
  }

  private void write(String text) throws IOException {
    var cutOff = vertx.setTimer(patience.toMillis(), _ -> response.reset());
    try {
      out.write(text.getBytes(StandardCharsets.UTF_8));
      out.flush();
    } finally {
      vertx.cancelTimer(cutOff);
    }
  }
}
