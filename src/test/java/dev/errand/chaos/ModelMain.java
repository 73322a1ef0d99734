package dev.errand.chaos;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.errand.kit.OpenAiStub;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.Call;
import dev.errand.kit.Turn;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * The model of everybody: what it says follows from the conversation alone, so that a turn that is
 * asked for again is answered the same. Slow, busy, broken and talking nonsense now and then, as
 * its seed has it.
 */
final class ModelMain {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final int PERCENT_OF_FAULTS = 5;
  private static final int LAST_TURN = 3;

  private final OpenAiStub wire = new OpenAiStub();
  private final AtomicLong calls = new AtomicLong();
  private final long seed;

  private ModelMain(long seed) {
    this.seed = seed;
  }

  public static void main(String... arguments) throws IOException {
    var model = new ModelMain(Long.parseLong(arguments[1]));
    var address =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]));
    var server = HttpServer.create(address, 2000);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext(model.wire.path(), model::handle);
    server.start();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      var request = JSON.readTree(exchange.getRequestBody());
      var random = new Random(seed ^ calls.incrementAndGet() * 0x9E3779B97F4A7C15L);
      pause(20 + random.nextInt(180));
      if (random.nextInt(100) < PERCENT_OF_FAULTS) {
        misbehave(exchange, random);
      } else {
        send(exchange, 200, wire.answer(answer(wire.turns(request))));
      }
    }
  }

  private static void misbehave(HttpExchange exchange, Random random) throws IOException {
    switch (random.nextInt(4)) {
      case 0 -> send(exchange, 429, "{\"error\": {\"message\": \"slow down\"}}");
      case 1 -> send(exchange, 500, "{\"error\": {\"message\": \"oops\"}}");
      case 2 -> send(exchange, 200, "<html>not what you asked for</html>");
      default -> {
        exchange.sendResponseHeaders(200, 100_000);
        exchange.getResponseBody().write("{\"id\": \"cut".getBytes(StandardCharsets.UTF_8));
      }
    }
  }

  private static void send(HttpExchange exchange, int status, String text) throws IOException {
    var body = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
  }

  private static Answer answer(List<Turn> turns) {
    var prompt = turns.getFirst().text();
    if (!prompt.startsWith("{")) {
      return primary(turns);
    }
    return child(Errands.of(prompt), (int) turns.stream().filter(ModelMain::isAnswer).count());
  }

  private static boolean isAnswer(Turn turn) {
    return turn.role().equals("assistant");
  }

  /** A hosted parent: the user's message names one errand a line; it delegates them all. */
  private static Answer primary(List<Turn> turns) {
    var last = turns.getLast();
    if (!last.role().equals("user") || !last.text().startsWith("delegate\n")) {
      return Answer.says("Noted.");
    }
    var calls =
        last.text().lines().skip(1).map(line -> task(Errands.of(line), true)).toArray(Call[]::new);
    return Answer.calls(calls);
  }

  /** Four turns: a pure and perhaps a delegating call, a checked one, one on the world, the end. */
  private static Answer child(Errands errand, int answers) {
    return switch (errand.quick() ? LAST_TURN : answers) {
      case 0 -> Answer.calls(firstCalls(errand));
      case 1 ->
          Answer.calls(
              Answer.call(
                  "write",
                  Map.of("file_path", "out/" + errand.key() + ".txt", "content", errand.key())));
      case 2 ->
          Answer.calls(
              Answer.call("sink_record", Map.of("key", errand.key(), "delay_ms", errand.toolMs())));
      default -> Answer.says("done " + errand.key());
    };
  }

  private static Call[] firstCalls(Errands errand) {
    var helpers =
        IntStream.range(0, errand.helpers())
            .mapToObj(number -> task(Errands.helper(errand, number), errand.background()));
    return java.util.stream.Stream.concat(
            java.util.stream.Stream.of(Answer.call("list", Map.of())), helpers)
        .toArray(Call[]::new);
  }

  private static Call task(Errands errand, boolean background) {
    return Answer.call("task", errand.asTask(background));
  }

  private static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }
}
