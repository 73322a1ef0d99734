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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The model of all agents. Its answers depend on the conversation alone, so that a repeated turn
 * gets the same answer. Depending on the seed it is sometimes slow or busy, fails, or returns
 * invalid responses.
 */
final class ModelMain {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final int FAILURE_PERCENT = 5;
  private static final int LAST_TURN = 3;
  private static final String COMMENT = " is a page." + " It is worth reading.".repeat(150);

  private final OpenAiStub wire = new OpenAiStub();
  private final AtomicLong calls = new AtomicLong();

  /** The prompts that were answered with something unreadable. */
  private final Set<String> misled = ConcurrentHashMap.newKeySet();

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
      var turns = wire.turns(JSON.readTree(exchange.getRequestBody()));
      var random = new Random(seed ^ calls.incrementAndGet() * 0x9E3779B97F4A7C15L);
      pause(20 + random.nextInt(180));
      if (random.nextInt(100) < FAILURE_PERCENT) {
        fail(exchange, random, turns.getFirst().text());
      } else {
        send(exchange, 200, wire.answer(answer(turns)));
      }
    }
  }

  /** An unreadable answer fails an attempt, so one task gets only one; three would end it. */
  private void fail(HttpExchange exchange, Random random, String prompt) throws IOException {
    var kind = random.nextInt(4);
    switch (kind == 2 && !misled.add(prompt) ? 1 : kind) {
      case 0 -> send(exchange, 429, "{\"error\": {\"message\": \"slow down\"}}");
      case 1 -> send(exchange, 500, "{\"error\": {\"message\": \"oops\"}}");
      case 2 -> send(exchange, 200, "<html>not a model response</html>");
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
    var errand = Errand.of(prompt);
    return errand.pages() > 0 ? reader(errand, turns) : worker(errand, turns);
  }

  private static boolean isAnswer(Turn turn) {
    return turn.role().equals("assistant");
  }

  /** A hosted parent delegates each task that a line of its user's latest messages describes. */
  private static Answer primary(List<Turn> turns) {
    var last = turns.getLast();
    var calls =
        last.text()
            .lines()
            .filter(line -> last.role().equals("user") && line.startsWith("{"))
            .map(line -> task(Errand.of(line), true))
            .toArray(Call[]::new);
    return calls.length == 0 ? Answer.says("Noted.") : Answer.calls(calls);
  }

  /**
   * Four turns: a pure call with optional delegations, a checked call, a call with a side effect,
   * the answer.
   */
  private static Answer worker(Errand errand, List<Turn> turns) {
    var answers = (int) turns.stream().filter(ModelMain::isAnswer).count();
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

  /**
   * Comments on a page and reads the next one. The number of the page is in the latest comment,
   * because older ones may have been summarised.
   */
  private static Answer reader(Errand errand, List<Turn> turns) {
    var page =
        turns.reversed().stream()
            .filter(ModelMain::isAnswer)
            .findFirst()
            .map(turn -> Integer.parseInt(turn.text().substring(0, turn.text().indexOf(' '))) + 1)
            .orElse(1);
    return page > errand.pages()
        ? Answer.says("done " + errand.key())
        : new Answer(
            page + COMMENT,
            List.of(Answer.call("read", Map.of("file_path", "page.txt", "offset", page))));
  }

  private static Call[] firstCalls(Errand errand) {
    var helpers =
        IntStream.range(0, errand.helpers())
            .mapToObj(number -> task(Errand.helper(errand, number), errand.background()));
    return Stream.concat(Stream.of(Answer.call("list", Map.of())), helpers).toArray(Call[]::new);
  }

  private static Call task(Errand errand, boolean background) {
    return Answer.call("task", errand.asTask(background));
  }

  private static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException exception) {
      Thread.currentThread().interrupt();
    }
  }
}
