package dev.errand.kit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Reads the events of a session as a browser does: when the stream ends or breaks, it reconnects
 * after a moment and sends the id of the last event. A request that followed at once could meet the
 * end of a connection that a stopping server closes after its answer.
 */
public final class EventClient implements AutoCloseable {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Duration RECONNECT_DELAY = Duration.ofMillis(100);

  private final HttpClient http = HttpClient.newHttpClient();
  private final List<Received> received = new CopyOnWriteArrayList<>();
  private final List<String> retries = new CopyOnWriteArrayList<>();
  private final AtomicInteger comments = new AtomicInteger();
  private final AtomicInteger connections = new AtomicInteger();
  private final AtomicInteger cleanEnds = new AtomicInteger();
  private final List<String> cuts = new CopyOnWriteArrayList<>();
  private final URI uri;
  private @Nullable Thread thread;
  private volatile @Nullable InputStream body;
  private volatile @Nullable String lastId;
  private volatile boolean closed;

  private final @Nullable String key;

  private EventClient(URI uri, @Nullable String key) {
    this.uri = uri;
    this.key = key;
  }

  /**
   * One received event.
   *
   * @param id 0 if it has none
   */
  public record Received(long id, String type, JsonNode envelope) {

    public JsonNode data() {
      return envelope.get("data");
    }
  }

  /** Reads in its own thread until the client is closed. */
  public static EventClient follow(URI uri) {
    return follow(uri, null);
  }

  /** Like {@link #follow(URI)}, with a key or token of a caller. */
  public static EventClient follow(URI uri, @Nullable String key) {
    var client = new EventClient(uri, key);
    client.thread = Thread.ofVirtual().name("event-client").start(client::readUntilClosed);
    return client;
  }

  public List<Received> received() {
    return List.copyOf(received);
  }

  public List<String> types() {
    return received.stream().map(Received::type).toList();
  }

  /** The values of {@code retry:} lines. */
  public List<String> retries() {
    return List.copyOf(retries);
  }

  public int comments() {
    return comments.get();
  }

  /** The number of connections. */
  public int connections() {
    return connections.get();
  }

  /** The number of streams that the server ended regularly. */
  public int cleanEnds() {
    return cleanEnds.get();
  }

  /** The errors of streams that broke or could not be opened. */
  public List<String> cuts() {
    return List.copyOf(cuts);
  }

  /** Whether its key or token was not accepted, at first or when it connected again. */
  public boolean isRefused() {
    return cuts.stream().anyMatch(cut -> cut.endsWith("status 401"));
  }

  /** Breaks the connection; the client reconnects. */
  public void cut() {
    var current = body;
    if (current != null) {
      try {
        current.close();
      } catch (IOException exception) {
        throw new UncheckedIOException(exception);
      }
    }
  }

  @Override
  public void close() throws InterruptedException {
    closed = true;
    cut();
    if (thread != null) {
      thread.join();
    }
    http.shutdownNow();
  }

  private void readUntilClosed() {
    while (!closed) {
      try {
        readOnce();
      } catch (IOException exception) {
        if (!closed) {
          cuts.add(exception.toString());
        }
      } catch (InterruptedException exception) {
        return;
      }
      LockSupport.parkNanos(RECONNECT_DELAY.toNanos());
    }
  }

  private void readOnce() throws IOException, InterruptedException {
    var request = HttpRequest.newBuilder(uri).header("Accept", "text/event-stream");
    if (key != null) {
      request.header("Authorization", "Bearer " + key);
    }
    if (lastId != null) {
      request.header("Last-Event-ID", lastId);
    }
    var response = http.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
    try (var stream = response.body();
        var lines = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
      if (response.statusCode() != 200) {
        throw new IOException("status " + response.statusCode());
      }
      connections.incrementAndGet();
      body = stream;
      if (closed) {
        return;
      }
      read(lines);
      cleanEnds.incrementAndGet();
    }
  }

  private void read(BufferedReader lines) throws IOException {
    var id = "";
    var type = "";
    var data = "";
    for (var line = lines.readLine(); line != null; line = lines.readLine()) {
      var field = line.split(": ", 2);
      switch (field[0]) {
        case "id" -> id = field[1];
        case "event" -> type = field[1];
        case "data" -> data = field[1];
        case "retry" -> retries.add(field[1]);
        case ":" -> comments.incrementAndGet();
        case "" -> {
          if (!data.isEmpty()) {
            var number = id.isEmpty() ? 0 : Long.parseLong(id);
            received.add(new Received(number, type, JSON.readTree(data)));
            lastId = id.isEmpty() ? lastId : id;
          }
          id = "";
          data = "";
        }
        default -> throw new AssertionError("unknown line: " + line);
      }
    }
  }
}
