package dev.errand.kit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A client of MCP: it adds to each call what its revision requires. */
public final class McpClient {

  public static final String MODERN = "2026-07-28";

  private static final String META = "io.modelcontextprotocol/";
  private static final Map<String, ?> TASKS =
      Map.of("extensions", Map.of("io.modelcontextprotocol/tasks", Map.of()));

  private final @Nullable String legacy;
  private final boolean tasks;
  private final Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
  private final Map<String, Object> meta = new HashMap<>();
  private String query = "";

  private McpClient(@Nullable String legacy, boolean tasks) {
    this.legacy = legacy;
    this.tasks = tasks;
  }

  /** Of revision 2026-07-28, without the tasks extension. */
  public static McpClient modern() {
    return new McpClient(null, false);
  }

  /** Of revision 2026-07-28, with the tasks extension. */
  public static McpClient withTasks() {
    return new McpClient(null, true);
  }

  public static McpClient legacy(String version) {
    return new McpClient(version, false);
  }

  public McpClient key(String key) {
    return header("Authorization", "Bearer " + key);
  }

  public McpClient header(String name, String value) {
    headers.put(name, value);
    return this;
  }

  public McpClient meta(String name, Object value) {
    meta.put(name, value);
    return this;
  }

  public McpClient query(String given) {
    query = "?" + given;
    return this;
  }

  /** Calls a tool. */
  public HttpAnswer tool(String name, Map<String, ?> arguments) {
    return call("tools/call", Map.of("name", name, "arguments", arguments));
  }

  public HttpAnswer call(String method, Map<String, ?> params) {
    return Http.given()
        .contentType("application/json")
        .headers(headersOf(method, params))
        .body(message(method, params))
        .post("/mcp" + query);
  }

  /** Calls a tool and returns the stream of the answer, which the test closes. */
  public InputStream open(String name, Map<String, ?> arguments) {
    var params = Map.of("name", name, "arguments", arguments);
    try {
      var request = request(Http.uri("/mcp" + query), "tools/call", params);
      return Http.CLIENT.send(request, BodyHandlers.ofInputStream()).body();
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AssertionError("a call was interrupted", interrupted);
    }
  }

  /** The request of a call, for a server at any address. */
  public HttpRequest request(URI server, String method, Map<String, ?> params) {
    try {
      var body = Http.JSON.writeValueAsString(message(method, params));
      var request = HttpRequest.newBuilder(server).header("Content-Type", "application/json");
      headersOf(method, params).forEach(request::header);
      return request.POST(HttpRequest.BodyPublishers.ofString(body)).build();
    } catch (JsonProcessingException fault) {
      throw new UncheckedIOException(fault);
    }
  }

  /** The bytes of a call, head and body at once, as most clients send them. */
  public String bytes(String method, Map<String, ?> params) {
    try {
      var body = Http.JSON.writeValueAsString(message(method, params));
      var head = new StringBuilder("POST /mcp HTTP/1.1\r\nHost: localhost\r\n");
      headersOf(method, params)
          .forEach((name, value) -> head.append("%s: %s\r\n".formatted(name, value)));
      head.append("Content-Type: application/json\r\n");
      return head + "Content-Length: " + body.length() + "\r\n\r\n" + body;
    } catch (JsonProcessingException fault) {
      throw new UncheckedIOException(fault);
    }
  }

  private Map<String, String> headersOf(String method, Map<String, ?> params) {
    var all = new TreeMap<String, String>(String.CASE_INSENSITIVE_ORDER);
    all.put("Accept", "application/json, text/event-stream");
    all.put("MCP-Protocol-Version", legacy == null ? MODERN : legacy);
    if (legacy == null) {
      all.put("Mcp-Method", method);
      var name = params.containsKey("name") ? params.get("name") : params.get("taskId");
      if (name != null) {
        all.put("Mcp-Name", name.toString());
      }
    }
    all.putAll(headers);
    return all;
  }

  private Map<String, ?> message(String method, Map<String, ?> params) {
    var all = new HashMap<String, Object>(params);
    var own = new HashMap<String, Object>(meta);
    if (legacy == null) {
      own.put(META + "protocolVersion", MODERN);
      own.put(META + "clientInfo", Map.of("name", "test", "version", "1"));
      own.put(META + "clientCapabilities", tasks ? TASKS : Map.of());
    }
    all.put("_meta", own);
    return Map.of("jsonrpc", "2.0", "id", 1, "method", method, "params", all);
  }

  /** The messages on the stream of an answer. */
  public static List<JsonNode> messages(HttpAnswer answer) {
    return messages(answer.asString()).toList();
  }

  private static Stream<JsonNode> messages(String stream) {
    return stream
        .lines()
        .filter(line -> line.startsWith("data: "))
        .map(line -> json(line.substring("data: ".length())));
  }

  private static JsonNode json(String text) {
    try {
      return Http.JSON.readTree(text);
    } catch (JsonProcessingException notJson) {
      throw new UncheckedIOException(text, notJson);
    }
  }

  /** The document that answers a call: the body, or the last message of a stream. */
  public static JsonNode answer(String body) {
    return messages(body).reduce((_, later) -> later).orElseGet(() -> json(body));
  }

  /** The text of the result of a call, on a stream or not. */
  public static String text(HttpAnswer answer) {
    return answer(answer.asString()).at("/result/content/0/text").asText();
  }
}
