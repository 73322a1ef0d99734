package dev.errand.kit;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * An endpoint of the OpenAI Chat Completions API that streams each answer while the test writes it.
 */
public final class SpeakingEndpoint implements AutoCloseable {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration INTERVAL = Duration.ofMillis(20);
  private static final String DONE = "[DONE]";

  private final OpenAiStub wire = new OpenAiStub();
  private final Map<String, Speaker> speakers = new ConcurrentHashMap<>();
  private final HttpServer server;

  public SpeakingEndpoint() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext(wire.path(), this::handle);
    server.start();
  }

  /** The answers to a prompt, written part by part. */
  public static final class Speaker {

    private final BlockingQueue<String> parts = new LinkedBlockingQueue<>();

    public void say(String words) {
      add(Map.of("content", words), "");
    }

    /** Speaks on, word by word, until the condition is true. */
    public void sayUntil(Callable<Boolean> condition) {
      repeatUntil(() -> say("word "), condition);
    }

    /** Adds a part again and again until the condition is true. */
    public static void repeatUntil(Runnable part, Callable<Boolean> condition) {
      await()
          .atMost(PATIENCE)
          .pollDelay(Duration.ZERO)
          .pollInterval(INTERVAL)
          .until(() -> {
            part.run();
            return condition.call();
          });
    }

    public void think(String thoughts) {
      add(Map.of("reasoning_content", thoughts), "");
    }

    /** Adds a part of the arguments of a call. */
    public void call(String id, String tool, String arguments) {
      var function = Map.of("name", tool, "arguments", arguments);
      var call = Map.of("index", 0, "id", id, "type", "function", "function", function);
      add(Map.of("tool_calls", new Object[] {call}), "");
    }

    /** Ends the answer. */
    public void end() {
      end("stop");
    }

    /** Ends the answer at the token limit. */
    public void cut() {
      end("length");
    }

    private void end(String reason) {
      add(Map.of(), reason);
      parts.add(DONE);
    }

    private void add(Map<String, ?> delta, String reason) {
      var chunk = JSON.createObjectNode().put("object", "chat.completion.chunk");
      var choice = chunk.putArray("choices").addObject().put("index", 0);
      choice.set("delta", JSON.valueToTree(delta));
      if (!reason.isEmpty()) {
        choice.put("finish_reason", reason);
      }
      parts.add(chunk.toString());
    }
  }

  /** Environment variables that make the service use this endpoint. */
  public Map<String, String> environment() {
    return wire.environment("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** The model, as far as it answers conversations that begin with this prompt. */
  public Speaker speaker(String prompt) {
    return speakers.computeIfAbsent(prompt, _ -> new Speaker());
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      var request = JSON.readTree(exchange.getRequestBody());
      exchange.getResponseHeaders().add("Content-Type", "text/event-stream");
      exchange.sendResponseHeaders(200, 0);
      stream(speaker(wire.turns(request).getFirst().text()), exchange);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private static void stream(Speaker speaker, HttpExchange exchange)
      throws IOException, InterruptedException {
    var body = exchange.getResponseBody();
    for (var part = ""; !part.equals(DONE); ) {
      part = speaker.parts.take();
      body.write(("data: " + part + "\n\n").getBytes(StandardCharsets.UTF_8));
      body.flush();
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
