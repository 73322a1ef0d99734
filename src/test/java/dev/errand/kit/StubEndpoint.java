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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** A model endpoint over HTTP that speaks one provider's wire format and says what a test wants. */
public final class StubEndpoint implements AutoCloseable {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final AtomicInteger CALLS = new AtomicInteger();

  private final StubWire wire;
  private final Mind mind;
  private final HttpServer server;
  private final List<Asked> asked = new CopyOnWriteArrayList<>();
  private final List<Map.Entry<String, List<String>>> headers = new CopyOnWriteArrayList<>();
  private final List<String> faults = new CopyOnWriteArrayList<>();

  /** What the model says to a request. */
  public interface Mind {
    Answer answer(Asked asked) throws InterruptedException;
  }

  /** Thrown by a mind: no answer but a status, as an endpoint in trouble gives it. */
  public static final class Refused extends RuntimeException {

    private static final long serialVersionUID = 1;
    private final int status;

    public Refused(int status) {
      this.status = status;
    }
  }

  /** One request. */
  public record Asked(List<Turn> turns, List<String> tools, long arrivedAt) {

    /** What the conversation began with. */
    public String prompt() {
      return turns.getFirst().text();
    }

    public Turn last() {
      return turns.getLast();
    }

    /** The messages that hold a notice. */
    public List<Turn> notices() {
      return turns.stream().filter(turn -> turn.text().startsWith("<task_notice>")).toList();
    }

    public boolean isFirst() {
      return turns.size() == 1;
    }
  }

  /** A tool call of an answer. */
  public record Call(String id, String tool, Map<String, ?> arguments) {}

  /** One answer. */
  public record Answer(String text, List<Call> calls) {

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

  private StubEndpoint(StubWire wire, Mind mind) throws IOException {
    this.wire = wire;
    this.mind = mind;
    this.server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1000);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext(wire.path(), this::handle);
    server.start();
  }

  public static StubEndpoint start(StubWire wire, Mind mind) throws IOException {
    return new StubEndpoint(wire, mind);
  }

  /** How the service is told to use it. */
  public Map<String, String> environment() {
    return wire.environment("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** All requests so far, oldest first. */
  public List<Asked> asked() {
    return List.copyOf(asked);
  }

  /** The values of a header in all requests so far. */
  public List<String> headers(String name) {
    return headers.stream()
        .filter(header -> header.getKey().equalsIgnoreCase(name))
        .flatMap(header -> header.getValue().stream())
        .toList();
  }

  /** What a real provider would have refused, or the test did not foresee. */
  public List<String> faults() {
    return List.copyOf(faults);
  }

  private void handle(HttpExchange exchange) throws IOException {
    var arrivedAt = System.nanoTime();
    try (exchange) {
      answer(exchange, arrivedAt);
    }
  }

  private void answer(HttpExchange exchange, long arrivedAt) throws IOException {
    try {
      var request = JSON.readTree(exchange.getRequestBody());
      var question = read(request, arrivedAt);
      asked.add(question);
      headers.addAll(exchange.getRequestHeaders().entrySet());
      faults.addAll(Conversations.faults(question.turns()));
      var body = wire.answer(mind.answer(question)).getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().add("Content-Type", "application/json");
      exchange.sendResponseHeaders(200, body.length);
      exchange.getResponseBody().write(body);
    } catch (Refused refused) {
      exchange.sendResponseHeaders(refused.status, -1);
    } catch (InterruptedException | RuntimeException | AssertionError unforeseen) {
      faults.add(unforeseen.toString());
      exchange.sendResponseHeaders(400, -1);
    }
  }

  private Asked read(JsonNode request, long arrivedAt) {
    return new Asked(wire.turns(request), wire.tools(request), arrivedAt);
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
