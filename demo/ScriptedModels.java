package demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * Two scripted models on one port. That of the client (Messages API of Anthropic, streamed)
 * delegates, and reads what it is told. That of the tasks (Chat Completions API of OpenAI) answers
 * when it may.
 */
final class ScriptedModels implements AutoCloseable {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern RESULT =
      Pattern.compile("(?s)<task-notification>.*?<result>\\s*(.*?)\\s*</result>");

  private final HttpServer server;
  private final McpStory story;
  private final int tasks;
  private final CountDownLatch answers = new CountDownLatch(1);
  private final Set<String> told = ConcurrentHashMap.newKeySet();

  ScriptedModels(McpStory story, int tasks) throws IOException {
    this.story = story;
    this.tasks = tasks;
    this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/v1/messages", exchange -> answer(exchange, this::client));
    server.createContext("/v1/chat/completions", exchange -> answer(exchange, this::task));
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** Lets the tasks end. */
  void answer() {
    answers.countDown();
  }

  static String prompt(int number) {
    return "Count the words of chapter " + number + ".";
  }

  private interface Model {
    String answer(JsonNode request) throws InterruptedException;
  }

  private static void answer(HttpExchange exchange, Model model) throws IOException {
    try (exchange) {
      var text = model.answer(JSON.readTree(exchange.getRequestBody()));
      var body = text.getBytes(StandardCharsets.UTF_8);
      var type = text.startsWith("{") ? "application/json" : "text/event-stream";
      exchange.getResponseHeaders().add("Content-Type", type);
      exchange.sendResponseHeaders(200, body.length);
      exchange.getResponseBody().write(body);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private String task(JsonNode request) throws InterruptedException {
    var prompt = request.at("/messages").findValuesAsText("content").getLast();
    story.works(prompt);
    answers.await();
    var reply = JSON.createObjectNode().put("id", "1").put("object", "chat.completion");
    reply.put("created", 0).put("model", "scripted");
    var choice = reply.putArray("choices").addObject().put("index", 0);
    choice.put("finish_reason", "stop");
    choice
        .putObject("message")
        .put("role", "assistant")
        .put(
            "content",
            prompt.replace("Count the words of c", "C").replace(".", "") + ": 1,234 words");
    reply.putObject("usage").put("prompt_tokens", 1).put("completion_tokens", 1);
    return reply.toString();
  }

  private String client(JsonNode request) {
    var isFirst = true;
    for (var message : request.path("messages")) {
      isFirst &= !message.path("role").asText().equals("assistant");
      if (!message.path("role").asText().equals("assistant")) {
        RESULT.matcher(text(message)).results().map(found -> found.group(1)).forEach(this::tell);
      }
    }
    var blocks = JSON.createArrayNode();
    if (isFirst && !request.path("tools").isEmpty()) {
      story.delegates(tasks);
      for (int number = 1; number <= tasks; number++) {
        var block = blocks.addObject().put("type", "tool_use");
        block.put("id", "toolu_" + UUID.randomUUID()).put("name", "mcp__errand__task");
        var input = block.putObject("input").put("description", "chapter " + number);
        input.put("prompt", prompt(number));
      }
      return stream(blocks, "tool_use");
    }
    if (told.isEmpty()) {
      story.rests();
    }
    blocks.addObject().put("type", "text").put("text", told.isEmpty() ? "I wait." : "I see.");
    return stream(blocks, "end_turn");
  }

  private void tell(String answer) {
    if (told.add(answer)) {
      story.isTold(answer);
    }
  }

  /** A message's content is a text or a list of blocks. */
  private static String text(JsonNode message) {
    var text = new StringBuilder(message.path("content").asText());
    message.path("content").findValuesAsText("text").forEach(text::append);
    return text.toString();
  }

  private static String stream(JsonNode blocks, String reason) {
    var events = new StringBuilder();
    append(
        events,
        "message_start",
        event -> {
          var message = event.putObject("message").put("id", "msg_" + UUID.randomUUID());
          message.put("type", "message").put("role", "assistant").put("model", "scripted");
          message.putArray("content");
          message.putObject("usage").put("input_tokens", 1).put("output_tokens", 1);
        });
    for (int index = 0; index < blocks.size(); index++) {
      appendBlock(events, index, (ObjectNode) blocks.get(index));
    }
    append(
        events,
        "message_delta",
        event -> {
          event.putObject("delta").put("stop_reason", reason);
          event.putObject("usage").put("output_tokens", 1);
        });
    append(events, "message_stop", event -> {});
    return events.toString();
  }

  private static void appendBlock(StringBuilder events, int index, ObjectNode block) {
    var delta = JSON.createObjectNode();
    if (block.has("text")) {
      delta.put("type", "text_delta").put("text", block.get("text").asText());
      block.put("text", "");
    } else {
      delta.put("type", "input_json_delta").put("partial_json", block.get("input").toString());
      block.putObject("input");
    }
    append(
        events,
        "content_block_start",
        event -> event.put("index", index).set("content_block", block));
    append(events, "content_block_delta", event -> event.put("index", index).set("delta", delta));
    append(events, "content_block_stop", event -> event.put("index", index));
  }

  private static void append(StringBuilder events, String type, Consumer<ObjectNode> fields) {
    var event = JSON.createObjectNode().put("type", type);
    fields.accept(event);
    events.append("event: ").append(type).append("\ndata: ").append(event).append("\n\n");
  }

  @Override
  public void close() {
    answers.countDown();
    server.stop(0);
  }
}
