package dev.errand.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Executors;

/**
 * An external system: an MCP server with one tool, {@code record}, which writes its key durably to
 * a file before it answers. A key that is in the file twice was executed twice.
 */
final class SinkMain {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private static final String TOOLS =
      """
      {"tools": [{"name": "record", "description": "Does something that must not be done twice.",
        "inputSchema": {"type": "object", "required": ["key"],
          "properties": {"key": {"type": "string"}, "delay_ms": {"type": "integer"}}},
        "annotations": {"readOnlyHint": false, "destructiveHint": true}}]}
      """;

  private static final String INITIALIZE =
      """
      {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "sink", "version": "1"}}
      """;

  private final FileChannel file;

  private SinkMain(Path path) throws IOException {
    this.file =
        FileChannel.open(
            path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
  }

  public static void main(String... arguments) throws IOException {
    var sink = new SinkMain(Path.of(arguments[1]));
    var address =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]));
    var server = HttpServer.create(address, 1000);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/mcp", sink::handle);
    server.start();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (!exchange.getRequestMethod().equals("POST")) {
        exchange.sendResponseHeaders(405, -1);
        return;
      }
      var request = JSON.readTree(exchange.getRequestBody());
      if (!request.has("id")) {
        exchange.sendResponseHeaders(202, -1);
        return;
      }
      var reply = JSON.createObjectNode().put("jsonrpc", "2.0");
      reply.set("id", request.get("id"));
      reply.set("result", result(request));
      var body = reply.toString().getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().add("Content-Type", "application/json");
      exchange.sendResponseHeaders(200, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  private JsonNode result(JsonNode request) throws IOException {
    return switch (request.get("method").asText()) {
      case "initialize" -> JSON.readTree(INITIALIZE);
      case "tools/list" -> JSON.readTree(TOOLS);
      case "tools/call" -> record(request.at("/params/arguments"));
      default -> JSON.createObjectNode();
    };
  }

  private ObjectNode record(JsonNode arguments) throws IOException {
    var line = arguments.get("key").asText() + "\n";
    synchronized (file) {
      file.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8)));
      file.force(true);
    }
    pause(arguments.path("delay_ms").asLong());
    var result = JSON.createObjectNode();
    result.putArray("content").addObject().put("type", "text").put("text", "recorded");
    return result;
  }

  private static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException exception) {
      Thread.currentThread().interrupt();
    }
  }
}
