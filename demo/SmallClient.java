package demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.UUID;

/**
 * A small client of MCP with the tasks extension: it delegates, notes the ids in a file, and polls.
 * When it is started with such a file, it continues to poll. It prints what happens.
 */
final class SmallClient {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String PROTOCOL = "io.modelcontextprotocol/";
  private static final String VERSION = "2026-07-28";
  private static final long POLL_MS = 2_000;

  private final HttpClient http = HttpClient.newHttpClient();
  private final URI server;
  private final Path notes;

  private SmallClient(URI server, Path notes) {
    this.server = server;
    this.notes = notes;
  }

  /** Arguments: the URL of the server, the file of notes, how many tasks to delegate. */
  public static void main(String... arguments) throws IOException, InterruptedException {
    var client = new SmallClient(URI.create(arguments[0]), Path.of(arguments[1]));
    if (!Files.exists(client.notes)) {
      client.delegate(Integer.parseInt(arguments[2]));
    }
    client.poll();
  }

  private void delegate(int tasks) throws IOException, InterruptedException {
    System.out.println("delegates");
    for (int number = 1; number <= tasks; number++) {
      var params = JSON.createObjectNode().put("name", "task");
      var input = params.putObject("arguments").put("description", "chapter " + number);
      input.put("prompt", ScriptedModels.prompt(number));
      var accepted = call("tools/call", "task", params).path("taskId").asText();
      Files.writeString(
          notes, accepted + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
    System.out.println("rests");
  }

  private void poll() throws IOException, InterruptedException {
    var open = new ArrayList<>(Files.readAllLines(notes));
    while (!open.isEmpty()) {
      for (var id : open.toArray(String[]::new)) {
        var task = call("tasks/get", id, JSON.createObjectNode().put("taskId", id));
        if (task.has("result")) {
          System.out.println("told " + task.at("/result/content/0/text").asText());
          open.remove(id);
        }
      }
      Thread.sleep(POLL_MS);
    }
  }

  /** Calls a method, again and again while the service is away. */
  private JsonNode call(String method, String name, ObjectNode params)
      throws IOException, InterruptedException {
    var key = UUID.randomUUID().toString();
    var meta = params.putObject("_meta").put(PROTOCOL + "protocolVersion", VERSION);
    meta.putObject(PROTOCOL + "clientCapabilities")
        .putObject("extensions")
        .putObject(PROTOCOL + "tasks");
    var message = JSON.createObjectNode().put("jsonrpc", "2.0").put("id", key);
    message.put("method", method).set("params", params);
    var request =
        HttpRequest.newBuilder(server)
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
            .header("MCP-Protocol-Version", VERSION)
            .header("Mcp-Method", method)
            .header("Mcp-Name", name)
            .header("Idempotency-Key", key)
            .POST(BodyPublishers.ofString(message.toString()))
            .build();
    while (true) {
      try {
        var answer = http.send(request, BodyHandlers.ofString());
        if (answer.statusCode() == 200) {
          return JSON.readTree(answer.body()).path("result");
        }
      } catch (IOException away) {
        // The service is away.
      }
      Thread.sleep(POLL_MS);
    }
  }
}
