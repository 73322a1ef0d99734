package dev.errand.mcp;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.errand.kit.HttpAnswer;
import dev.errand.kit.McpClient;
import dev.errand.kit.Script;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Random messages: {@code -Dmcp.seed=…} sends others, {@code -Dmcp.messages=…} more. */
@QuarkusTest
class McpFuzzDbTest implements Story {

  private static final int MESSAGES = Integer.getInteger("mcp.messages", 500);
  private static final long SEED = Long.getLong("mcp.seed", 42);
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private static final List<String> METHODS =
      List.of(
          "tools/call",
          "tools/call",
          "tools/call",
          "tools/list",
          "server/discover",
          "initialize",
          "ping",
          "tasks/get",
          "tasks/cancel",
          "tasks/update",
          "notifications/cancelled",
          "x",
          "");
  private static final List<String> TOOLS =
      List.of("task", "task", "task_output", "task_cancel", "task_list", "bash", "");
  private static final List<String> VERSIONS =
      List.of(
          "2026-07-28", "2026-07-28", "2026-07-28", "2026-07-28", "2025-11-25", "1900-01-01", "");
  private static final Set<Integer> CODES =
      Set.of(-32700, -32600, -32601, -32602, -32020, -32021, -32022);

  @Inject TaskKit kit;

  private final Random random = new Random(SEED);
  private final Set<Integer> codes = new HashSet<>();
  private int results;

  @Test
  void randomMessagesAreAnsweredByTheProtocol() {
    kit.children(_ -> new Script().says("gold"));

    for (int number = 0; number < MESSAGES; number++) {
      var message = message();
      var answer =
          given()
              .contentType("application/json")
              .headers(headers(message))
              .body(body(message))
              .post("/mcp?wait_ms=0");
      check(answer);
    }

    assertThat(codes).containsAll(CODES);
    assertThat(results).isGreaterThan(MESSAGES / 25);
    await("nothing is left running")
        .until(() ->
            kit.row(
                    "select count(*) from task where state in ('pending', 'running')",
                    Integer.class)
                == 0);
  }

  private void check(HttpAnswer answer) {
    assertThat(answer.statusCode()).as(answer.toString()).isIn(200, 202, 400, 404);
    if (answer.statusCode() == 202) {
      assertThat(answer.asString()).isEmpty();
      return;
    }
    var document =
        answer.contentType().startsWith("text/event-stream")
            ? McpClient.messages(answer).getLast()
            : answer.as(JsonNode.class);
    assertThat(document.get("jsonrpc").asText()).isEqualTo("2.0");
    assertThat(document.has("result")).isNotEqualTo(document.has("error"));
    if (document.has("error")) {
      var code = document.at("/error/code").asInt();
      assertThat(CODES).as(answer.toString()).contains(code);
      codes.add(code);
    } else {
      assertThat(answer.statusCode()).isEqualTo(200);
      results++;
    }
  }

  /** Those of the message, of which one may be another. */
  private Map<String, String> headers(JsonNode message) {
    var headers = new HashMap<String, String>();
    var params = message.path("params");
    headers.put(
        "MCP-Protocol-Version",
        params.at("/_meta/io.modelcontextprotocol~1protocolVersion").asText());
    headers.put("Mcp-Method", message.path("method").asText());
    headers.put("Mcp-Name", params.path(params.has("taskId") ? "taskId" : "name").asText());
    switch (random.nextInt(16)) {
      case 0 -> headers.put("MCP-Protocol-Version", oneOf(VERSIONS));
      case 1 -> headers.put("Mcp-Method", oneOf(METHODS));
      case 2 -> headers.put("Mcp-Name", oneOf(TOOLS));
      case 3 -> headers.put("Mcp-Name", "=?base64?dGFzaw==?=");
      case 4 -> headers.put("Errand-Session", oneOf(List.of("ses_7", "x")));
      case 5, 6 -> headers.put("Idempotency-Key", "fuzz-" + random.nextInt(3));
      default -> {}
    }
    headers.values().removeIf(text -> !text.matches("[!-~]+"));
    return headers;
  }

  private String body(JsonNode message) {
    return switch (random.nextInt(16)) {
      case 0 -> value(4).toString();
      case 1 -> "[" + message + "," + message() + "]";
      case 2 -> message.toString().substring(1);
      case 3 -> "{\"a\":".repeat(random.nextInt(1500)) + "1";
      default -> message.toString();
    };
  }

  private JsonNode message() {
    var message = NODES.objectNode();
    message.put("jsonrpc", random.nextInt(12) == 0 ? "1.0" : "2.0");
    if (random.nextInt(8) > 0) {
      message.set("id", random.nextInt(6) == 0 ? value(2) : NODES.numberNode(random.nextInt()));
    }
    message.set("method", random.nextInt(12) == 0 ? value(2) : NODES.textNode(oneOf(METHODS)));
    if (random.nextInt(10) > 0) {
      message.set("params", random.nextInt(10) == 0 ? value(3) : params());
    }
    return message;
  }

  private JsonNode params() {
    var params = NODES.objectNode();
    if (random.nextInt(8) > 0) {
      params.set("name", random.nextInt(8) == 0 ? value(2) : NODES.textNode(oneOf(TOOLS)));
    }
    if (random.nextBoolean()) {
      params.set("arguments", random.nextInt(4) == 0 ? value(4) : arguments());
    }
    if (random.nextInt(4) == 0) {
      params.set("taskId", value(1));
    }
    if (random.nextInt(4) > 0) {
      params.set("_meta", random.nextInt(10) == 0 ? value(3) : meta());
    }
    return params;
  }

  private JsonNode meta() {
    var meta = NODES.objectNode();
    meta.put("io.modelcontextprotocol/protocolVersion", oneOf(VERSIONS));
    var capabilities = meta.putObject("io.modelcontextprotocol/clientCapabilities");
    if (random.nextBoolean()) {
      capabilities
          .putObject("extensions")
          .set(
              "io.modelcontextprotocol/tasks",
              random.nextInt(4) == 0 ? value(2) : NODES.objectNode());
    }
    if (random.nextInt(4) == 0) {
      meta.set("progressToken", value(1));
      meta.set("claudecode/toolUseId", value(1));
      meta.set("traceparent", value(1));
    }
    return meta;
  }

  private JsonNode arguments() {
    var arguments = NODES.objectNode().put("description", "a task").put("prompt", "dig");
    for (var field : List.of("background", "task_id", "wait_ms", "subagent_type", "session_id")) {
      if (random.nextInt(6) == 0) {
        arguments.set(field, value(2));
      }
    }
    return arguments;
  }

  /** A value of any type; a text may contain what a database does not store. */
  private JsonNode value(int depth) {
    return switch (random.nextInt(depth == 0 ? 6 : 8)) {
      case 0 -> NODES.nullNode();
      case 1 -> NODES.booleanNode(random.nextBoolean());
      case 2 -> NODES.numberNode(random.nextInt());
      case 3 -> NODES.numberNode(random.nextDouble());
      case 4 -> NODES.textNode("odd\0\ud83d".substring(0, random.nextInt(6)));
      case 5 -> NODES.textNode("01a1fd25-6fe2-702a-adf4-c467243ef457");
      case 6 -> NODES.arrayNode().add(value(depth - 1)).add(value(depth - 1));
      default -> NODES.objectNode().set("a", value(depth - 1));
    };
  }

  private String oneOf(List<String> words) {
    return words.get(random.nextInt(words.size()));
  }
}
