package dev.errand.kit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A model endpoint over HTTP that uses the wire format of one provider; the test decides its
 * answers. It refuses what the provider refuses.
 */
public final class StubEndpoint implements AutoCloseable {

  private static final String JSON_TYPE = "application/json";
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final AtomicInteger CALLS = new AtomicInteger();

  private final StubWire wire;
  private final Responder responder;
  private final HttpServer server;
  private final List<ModelCall> calls = new CopyOnWriteArrayList<>();
  private final List<Map.Entry<String, List<String>>> headers = new CopyOnWriteArrayList<>();
  private final List<String> errors = new CopyOnWriteArrayList<>();
  private volatile @Nullable JsonNode lastBody;

  /** Decides the answer to each request. */
  public interface Responder {
    Answer answer(ModelCall call) throws InterruptedException;
  }

  /**
   * Thrown instead of an answer: the endpoint responds with this status, as an endpoint with a
   * problem does.
   */
  public static final class ErrorStatus extends RuntimeException {

    private static final long serialVersionUID = 1;
    private final int status;
    private final Map<String, String> headers;
    private final String text;

    public ErrorStatus(int status) {
      this(status, "");
    }

    public ErrorStatus(int status, Map<String, String> headers) {
      this(status, headers, "");
    }

    /**
     * @param text the body
     */
    public ErrorStatus(int status, String text) {
      this(status, Map.of(), text);
    }

    private ErrorStatus(int status, Map<String, String> headers, String text) {
      this.status = status;
      this.headers = Map.copyOf(headers);
      this.text = text;
    }
  }

  /**
   * One request to the model.
   *
   * @param bytes the length of its body
   */
  public record ModelCall(List<Turn> turns, List<String> tools, int bytes, long arrivedAt) {

    /** The text of the first message. */
    public String prompt() {
      return turns.getFirst().text();
    }

    public Turn last() {
      return turns.getLast();
    }

    /** The messages that contain a notice. */
    public List<Turn> notices() {
      return turns.stream().filter(turn -> turn.text().startsWith("<notice-")).toList();
    }

    public boolean isFirst() {
      return turns.size() == 1;
    }
  }

  /** A tool call of an answer. */
  public record Call(String id, String tool, Map<String, ?> arguments) {}

  /** One answer of the model. */
  public record Answer(String text, List<Call> calls, boolean cut) {

    public Answer(String text, List<Call> calls) {
      this(text, calls, false);
    }

    /** An answer that ends at the token limit. */
    public static Answer cut(String text) {
      return new Answer(text, List.of(), true);
    }

    public static Answer says(String text) {
      return new Answer(text, List.of());
    }

    public static Answer calls(Call... calls) {
      return new Answer("", Arrays.asList(calls));
    }

    public static Call call(String tool, Map<String, ?> arguments) {
      return new Call("call_" + CALLS.incrementAndGet(), tool, arguments);
    }

    public static Call task(String prompt, boolean background) {
      return call(
          "task", Map.of("description", "a task", "prompt", prompt, "background", background));
    }
  }

  private StubEndpoint(StubWire wire, Responder responder) throws IOException {
    this.wire = wire;
    this.responder = responder;
    this.server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1000);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext(wire.path(), this::handle);
    server.start();
  }

  public static StubEndpoint start(StubWire wire, Responder responder) throws IOException {
    return new StubEndpoint(wire, responder);
  }

  /** Environment variables that make the service use this endpoint. */
  public Map<String, String> environment() {
    return wire.environment("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** All requests received so far, oldest first. */
  public List<ModelCall> calls() {
    return List.copyOf(calls);
  }

  /** The body of the last request. */
  JsonNode lastBody() {
    return Objects.requireNonNull(lastBody);
  }

  /** The values of a header in all requests received so far. */
  public List<String> headers(String name) {
    return headers.stream()
        .filter(header -> header.getKey().equalsIgnoreCase(name))
        .flatMap(header -> header.getValue().stream())
        .toList();
  }

  /** Requests that a real provider would have rejected, and errors in the code of the test. */
  public List<String> errors() {
    return List.copyOf(errors);
  }

  private void handle(HttpExchange exchange) throws IOException {
    var arrivedAt = System.nanoTime();
    try (exchange) {
      answer(exchange, arrivedAt);
    }
  }

  private void answer(HttpExchange exchange, long arrivedAt) throws IOException {
    try {
      var body = exchange.getRequestBody().readAllBytes();
      var request = JSON.readTree(body);
      var call = read(request, body.length, arrivedAt);
      lastBody = request;
      calls.add(call);
      headers.addAll(exchange.getRequestHeaders().entrySet());
      var refusals = wire.refusals(request);
      errors.addAll(refusals);
      if (refusals.isEmpty()) {
        var answer = wire.answer(responder.answer(call));
        send(exchange, 200, wire.contentType(), answer);
      } else {
        var error = JSON.createObjectNode();
        error.putObject("error").put("type", "invalid_request_error").put("message", "" + refusals);
        send(exchange, 400, JSON_TYPE, error.toString());
      }
    } catch (ErrorStatus error) {
      error.headers.forEach(exchange.getResponseHeaders()::add);
      send(exchange, error.status, JSON_TYPE, error.text);
    } catch (InterruptedException | RuntimeException | AssertionError exception) {
      errors.add(exception.toString());
      exchange.sendResponseHeaders(400, -1);
    }
  }

  private static void send(HttpExchange exchange, int status, String type, String text)
      throws IOException {
    var body = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().add("Content-Type", type);
    exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
    if (body.length > 0) {
      exchange.getResponseBody().write(body);
    }
  }

  private ModelCall read(JsonNode request, int bytes, long arrivedAt) {
    return new ModelCall(wire.turns(request), wire.tools(request), bytes, arrivedAt);
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
