package dev.errand.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The program that {@code deploy/train.sh} runs beside a service of its own. It gives this service
 * the work of a busy node and answers its model calls, so that Java's cache contains what a busy
 * node executes.
 */
final class TrainCommand {

  private static final String MODEL = "openai:training";
  private static final String DELEGATE = "Delegate this.";
  private static final int CLIENTS = 8;
  private static final int TASKS_PER_CONVERSATION = 20;
  private static final int ERROR = 300;
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private static final String ANSWER =
      """
      {"id": "chatcmpl-1", "object": "chat.completion", "created": 1763700000, "model": "training",
       "choices": [{"index": 0, "finish_reason": "%s", "message": {"role": "assistant", "content": "Done."%s}}],
       "usage": {"prompt_tokens": 900, "completion_tokens": 5, "total_tokens": 905, "prompt_tokens_details": {"cached_tokens": 800}}}
      """;

  private static final String CALL =
      """
      , "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "task", "arguments":
        "{\\"description\\": \\"look around\\", \\"prompt\\": \\"Look.\\", \\"subagent_type\\": \\"explore\\", \\"background\\": true}"}}]
      """;

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final String url;

  private TrainCommand(String url) {
    this.url = url;
  }

  /**
   * @param arguments the URL of the service, the port of the model endpoint, the number of tasks
   */
  public static void main(String... arguments)
      throws IOException, InterruptedException, ExecutionException {
    var loopback = InetAddress.getLoopbackAddress();
    var endpoint =
        HttpServer.create(new InetSocketAddress(loopback, Integer.parseInt(arguments[1])), 0);
    endpoint.createContext("/v1/chat/completions", TrainCommand::answer);
    endpoint.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    endpoint.start();
    try {
      new TrainCommand(arguments[0]).work(Integer.parseInt(arguments[2]));
    } finally {
      endpoint.stop(0); // its thread would keep a process that has failed from ending
    }
  }

  private static void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      var messages = JSON.readTree(exchange.getRequestBody()).path("messages");
      var delegates =
          messages.path(messages.size() - 1).path("content").asText().startsWith(DELEGATE);
      var answer =
          (delegates ? ANSWER.formatted("tool_calls", CALL) : ANSWER.formatted("stop", ""))
              .getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().add("Content-Type", "application/json");
      exchange.sendResponseHeaders(200, answer.length);
      exchange.getResponseBody().write(answer);
    }
  }

  private void work(int tasks) throws IOException, InterruptedException, ExecutionException {
    var parents = new ArrayList<String>();
    for (int client = 0; client < CLIENTS; client++) {
      parents.add(post("/v1/sessions", Map.of("kind", "external")).path("id").asText());
    }
    inParallel(tasks / TASKS_PER_CONVERSATION, _ -> converse());
    inParallel(tasks, task -> delegate(parents.get(task % CLIENTS)));
  }

  private void delegate(String parent) throws IOException, InterruptedException {
    var task =
        Map.of(
            "parent_session_id",
            parent,
            "description",
            "look around",
            "prompt",
            "Look.",
            "model",
            MODEL,
            "background",
            true);
    var id = post("/v1/tasks", task).at("/metadata/task_id").asText();
    var ignored = send(request("/v1/tasks/" + id + "?wait_ms=20000"));
  }

  /** The result of the task may resume the session after this has returned. */
  private void converse() throws IOException, InterruptedException {
    var session = post("/v1/sessions", Map.of("model", MODEL)).path("id").asText();
    var ignored = post("/v1/sessions/" + session + "/messages", Map.of("text", DELEGATE));
  }

  private JsonNode post(String path, Map<String, ?> body) throws IOException, InterruptedException {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .header("Prefer", "wait=20")
            .POST(BodyPublishers.ofByteArray(JSON.writeValueAsBytes(body))));
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(url + path));
  }

  private JsonNode send(HttpRequest.Builder request) throws IOException, InterruptedException {
    var response = http.send(request.build(), BodyHandlers.ofString());
    if (response.statusCode() >= ERROR) {
      throw new IOException(response.statusCode() + " " + response.body());
    }
    return JSON.readTree(response.body());
  }

  private interface Request {
    void send(int number) throws IOException, InterruptedException;
  }

  /** Each client sends its requests one after the other. */
  private static void inParallel(int amount, Request request)
      throws InterruptedException, ExecutionException {
    try (var clients = Executors.newFixedThreadPool(CLIENTS)) {
      var sent = new ArrayList<Future<?>>();
      for (int client = 0; client < CLIENTS; client++) {
        var first = client;
        Callable<?> requests =
            () -> {
              for (int number = first; number < amount; number += CLIENTS) {
                request.send(number);
              }
              return null;
            };
        sent.add(clients.submit(requests));
      }
      for (var requests : sent) {
        requests.get();
      }
    }
  }
}
