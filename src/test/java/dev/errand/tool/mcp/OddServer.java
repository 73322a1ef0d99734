package dev.errand.tool.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/**
 * An MCP server written by hand, which shares no code with the client. It runs as a process that
 * speaks over standard input and output, or answers single messages. Its mode and its tools make it
 * behave well or badly.
 */
final class OddServer {

  static final JsonMapper JSON = JsonMapper.builder().build();

  private static final String TOOLS =
      """
      [{"name": "echo", "description": "Returns its text.", "annotations": {"readOnlyHint": true},
        "inputSchema": {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
          "properties": {"text": {"type": "string", "minLength": 2, "format": "x-odd"},
            "extra": {"$ref": "#/definitions/Extra"}},
          "definitions": {"Extra": {"type": "object", "additionalProperties": {"type": "integer"}}},
          "required": ["text"]}},
       {"name": "fail", "inputSchema": {"type": "object"}},
       {"name": "refuse", "inputSchema": {"type": "object"}},
       {"name": "never", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}},
       {"name": "cancelled", "inputSchema": {"type": "object"}},
       {"name": "die", "inputSchema": {"type": "object"}},
       {"name": "huge", "inputSchema": {"type": "object"}},
       {"name": "flood", "inputSchema": {"type": "object"}},
       {"name": "environment", "inputSchema": {"type": "object"}},
       {"name": "picture", "inputSchema": {"type": "object"}},
       {"name": "grow", "inputSchema": {"type": "object"}},
       {"name": "raw", "inputSchema": {"type": "object"}},
       {"name": "work", "inputSchema": {"type": "object"}}]
      """;

  private static final String HOSTILE_TOOLS =
      """
      [{"name": "a b", "inputSchema": {"type": "object"}},
       {"name": "a/b", "inputSchema": {"type": "object"}},
       {"name": "%s", "inputSchema": {"type": "object"}},
       {"name": "output", "inputSchema": {"type": "object"}},
       {"name": "strange-field", "inputSchema": {"type": "object", "properties": {"no good!": {}}}},
       {"name": "lost-ref", "inputSchema":
         {"type": "object", "properties": {"x": {"$ref": "https://example.com/schema.json"}}}},
       {"name": "not-a-schema", "inputSchema": {"type": "object", "properties": {"x": {"type": 7}}}},
       {"name": "bad-pattern", "inputSchema":
         {"type": "object", "properties": {"x": {"type": "string", "pattern": "(?<!a)b"}}}}]
      """
          .formatted("n".repeat(100));

  private final String mode;
  private final Consumer<ObjectNode> notify;
  private final List<String> cancelled = new ArrayList<>();
  private boolean grown;

  OddServer(String mode, Consumer<ObjectNode> notify) {
    this.mode = mode;
    this.notify = notify;
  }

  /** The command that starts a server in this mode. */
  static List<String> command(String mode) {
    var java = ProcessHandle.current().info().command().orElse("java");
    return List.of(
        java,
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-cp",
        System.getProperty("java.class.path"),
        OddServer.class.getName(),
        mode);
  }

  public static void main(String[] arguments) throws IOException, InterruptedException {
    var mode = arguments[0];
    System.err.println("I am " + mode);
    if (mode.equals("exits")) {
      System.exit(3);
    }
    System.out.println("Welcome! This line is not a message.");
    var server = new OddServer(mode, System.out::println);
    var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (var line = lines.readLine(); line != null; line = lines.readLine()) {
      if (!mode.equals("mute")) {
        server.answer((ObjectNode) JSON.readTree(line)).ifPresent(System.out::println);
      }
      if (mode.equals("deaf") && line.contains("tools/list")) {
        new CountDownLatch(1).await();
      }
    }
  }

  /** Returns the answer; empty for a notification. */
  Optional<ObjectNode> answer(ObjectNode message) {
    var method = message.path("method").asText();
    if (method.equals("notifications/cancelled")) {
      cancelled.add(message.at("/params/requestId").asText());
    }
    if (!message.has("id")) {
      return Optional.empty();
    }
    return switch (method) {
      case "initialize" -> result(message, greeting());
      case "tools/list" -> result(message, object("{\"tools\": %s}".formatted(tools())));
      case "tools/call" -> call(message);
      default -> error(message, "unknown method " + method);
    };
  }

  private static String greeting() {
    return """
    {"protocolVersion": "2025-06-18", "capabilities": {"tools": {"listChanged": true}},
     "serverInfo": {"name": "odd", "version": "1"}}
    """;
  }

  private String tools() {
    if (mode.equals("loose")) {
      return OddLists.LOOSE;
    }
    if (mode.equals("many")) {
      return OddLists.many(140);
    }
    if (mode.equals("strict")) {
      return OddLists.REFUSED;
    }
    if (mode.equals("hostile")) {
      return HOSTILE_TOOLS;
    }
    var more = ",{\"name\": \"grown\", \"inputSchema\": {\"type\": \"object\"}}]";
    return grown ? TOOLS.strip().substring(0, TOOLS.strip().length() - 1) + more : TOOLS;
  }

  private Optional<ObjectNode> call(ObjectNode message) {
    var arguments = message.at("/params/arguments");
    return switch (message.at("/params/name").asText()) {
      case "echo" -> text(message, arguments.path("text").asText(), false);
      case "fail" -> text(message, "it went wrong", true);
      case "refuse" -> error(message, "not today");
      case "never" -> touch(arguments.path("touch").asText());
      case "cancelled" -> text(message, String.valueOf(cancelled.size()), false);
      case "huge" -> text(message, "x".repeat(300_000), false);
      case "flood" -> text(message, "x".repeat(17_000_000), false);
      case "environment" -> text(message, environment(arguments), false);
      case "picture" ->
          result(
              message,
              """
              {"content": [{"type": "image", "mimeType": "image/png", "data": "aGk="},
                {"type": "resource", "resource": {"uri": "x://y", "text": "text"}}]}
              """);
      case "raw" ->
          result(message, arguments.has("result") ? arguments.get("result") : NullNode.instance);
      case "work" -> {
        OddWork.of(message).report(notify);
        yield text(message, "worked", false);
      }
      case "die" -> {
        System.exit(7);
        yield Optional.empty();
      }
      case "grow" -> {
        grown = true;
        notify.accept(
            object("{\"jsonrpc\": \"2.0\", \"method\": \"notifications/tools/list_changed\"}"));
        yield text(message, "grown", false);
      }
      default -> text(message, arguments.toString(), false);
    };
  }

  /** Returns the names of the variables, or the content of a file if one is named. */
  private static String environment(JsonNode arguments) {
    try {
      return arguments.has("file")
          ? Files.readString(Path.of(arguments.get("file").asText()))
          : String.join(" ", System.getenv().keySet());
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
  }

  /** Creates the file, if one is named, to show that the call has arrived; gives no answer. */
  private static Optional<ObjectNode> touch(String file) {
    if (!file.isEmpty()) {
      try {
        Files.createFile(Path.of(file));
      } catch (IOException fault) {
        throw new UncheckedIOException(fault);
      }
    }
    return Optional.empty();
  }

  private static Optional<ObjectNode> text(ObjectNode message, String text, boolean isError) {
    var result = JSON.createObjectNode().put("isError", isError);
    result.putArray("content").addObject().put("type", "text").put("text", text);
    return result(message, result);
  }

  private static Optional<ObjectNode> error(ObjectNode message, String text) {
    var answer = head(message);
    answer.putObject("error").put("code", -32000).put("message", text);
    return Optional.of(answer);
  }

  private static Optional<ObjectNode> result(ObjectNode message, String result) {
    return result(message, object(result));
  }

  private static Optional<ObjectNode> result(ObjectNode message, JsonNode result) {
    return Optional.of(head(message).set("result", result));
  }

  private static ObjectNode head(ObjectNode message) {
    return JSON.createObjectNode().put("jsonrpc", "2.0").set("id", message.get("id"));
  }

  private static ObjectNode object(String json) {
    try {
      return (ObjectNode) JSON.readTree(json);
    } catch (IOException fault) {
      throw new IllegalStateException(fault);
    }
  }
}
