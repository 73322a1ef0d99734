package dev.errand.kit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.zip.GZIPOutputStream;

/**
 * An endpoint with the APIs of all providers that plays prepared answers, byte for byte. The model
 * that is asked for names the play, and each of its requests gets the next answer; the last one is
 * repeated.
 */
public final class OddEndpoint implements AutoCloseable {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final HttpServer server;
  private final Map<String, List<Played>> plays = new ConcurrentHashMap<>();
  private final Map<String, List<JsonNode>> requests = new ConcurrentHashMap<>();

  /**
   * An answer.
   *
   * @param packed whether it is sent with gzip
   */
  public record Played(int status, Map<String, String> headers, String body, boolean packed) {

    /** An answer with status 200. */
    public static Played ok(String body) {
      return new Played(200, Map.of("Content-Type", "application/json"), body, false);
    }
  }

  private OddEndpoint() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1000);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", this::answer);
    server.start();
  }

  public static OddEndpoint start() throws IOException {
    return new OddEndpoint();
  }

  /** Environment variables that make the service use this endpoint for all providers. */
  public Map<String, String> environment() {
    var url = "http://127.0.0.1:" + server.getAddress().getPort();
    return Map.of(
        "OPENAI_BASE_URL",
        url + "/v1",
        "OPENAI_API_KEY",
        "sk-test",
        "ANTHROPIC_BASE_URL",
        url,
        "ANTHROPIC_API_KEY",
        "sk-test",
        "OLLAMA_BASE_URL",
        url);
  }

  /** Plays these answers to the requests for a model. */
  public void play(String model, List<Played> answers) {
    plays.put(model, List.copyOf(answers));
    requests.put(model, new CopyOnWriteArrayList<>());
  }

  /** The requests for a model so far. */
  public List<JsonNode> requests(String model) {
    return List.copyOf(requireNonNull(requests.get(model)));
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      var request = JSON.readTree(exchange.getRequestBody().readAllBytes());
      var model = request.path("model").asText();
      var received = requireNonNull(requests.get(model));
      received.add(request);
      var play = requireNonNull(plays.get(model));
      send(exchange, play.get(Math.min(received.size(), play.size()) - 1));
    }
  }

  private static void send(HttpExchange exchange, Played answer) throws IOException {
    answer.headers().forEach(exchange.getResponseHeaders()::add);
    var bytes = answer.packed() ? packed(answer.body()) : answer.body().getBytes(UTF_8);
    if (answer.packed()) {
      exchange.getResponseHeaders().add("Content-Encoding", "gzip");
    }
    exchange.sendResponseHeaders(answer.status(), bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  private static byte[] packed(String body) throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(bytes)) {
      gzip.write(body.getBytes(UTF_8));
    }
    return bytes.toByteArray();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
