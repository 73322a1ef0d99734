package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.kit.AlternatingProxy;
import dev.errand.kit.McpClient;
import dev.errand.kit.OpenAiStub;
import dev.errand.kit.Service;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.ModelCall;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes answer clients of MCP like one, also when one of them is killed. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class McpNodesIT {

  private static final Duration TIMEOUT = Duration.ofSeconds(90);
  private static final String QUICK = "Be quick.";
  private static final String SLOW = "Take your time.";
  private static final int POLLED = 6;

  private final HttpClient http = HttpClient.newHttpClient();
  private final AtomicInteger running = new AtomicInteger();
  private final CountDownLatch open = new CountDownLatch(1);
  private final StubEndpoint model;
  private final Service first;
  private final Service second;
  private final AlternatingProxy proxy;

  McpNodesIT(@TempDir Path home) throws IOException {
    this.model = StubEndpoint.start(new OpenAiStub(), this::child);
    this.first = Service.start(home.resolve("first"), model.environment());
    var environment = new HashMap<>(model.environment());
    environment.putAll(first.databaseEnvironment());
    this.second = Service.startWithoutCopy(home.resolve("second"), environment);
    this.proxy = new AlternatingProxy(List.of(first, second));
  }

  @AfterAll
  void stop() throws Exception {
    proxy.close();
    second.kill();
    first.close();
    model.close();
  }

  @Test
  void taskThatOneNodeAcceptedIsKnownToTheOther() {
    var ids =
        IntStream.range(0, POLLED)
            .mapToObj(number ->
                delegate(McpClient.withTasks(), proxy.uri("/mcp"), "quick-" + number, QUICK))
            .map(accepted -> accepted.join().at("/result/taskId").asText())
            .toList();

    assertThat(ids).doesNotHaveDuplicates().doesNotContain("");
    for (var id : ids) {
      await().atMost(TIMEOUT).until(() -> poll(id).path("status").asText().equals("completed"));
      for (var node : List.of(first, second)) {
        var text = get(node.uri("/mcp"), id).at("/result/result/content/0/text").asText();
        assertThat(text).isEqualTo("Quick.");
      }
    }
  }

  @Test
  void repeatedCallJoinsTheTaskOfACallThatEndedWithItsNode() throws Exception {
    var cut = delegate(McpClient.modern(), second.uri("/mcp"), "slow", SLOW);
    await().atMost(TIMEOUT).until(() -> running.get() == 1);

    second.kill();
    await().atMost(TIMEOUT).until(cut::isDone);
    var repeated = delegate(McpClient.modern(), proxy.uri("/mcp"), "slow", SLOW);
    await().atMost(TIMEOUT).until(() -> running.get() == 2);
    open.countDown();

    assertThat(cut.handle((answer, fault) -> fault != null).join()).as("it was cut").isTrue();
    assertThat(repeated.join().at("/result/content/0/text").asText()).isEqualTo("Slow.");
    assertThat(tasks("slow")).isEqualTo(1);
    assertThat(model.errors()).isEmpty();
    second.startAgain();
  }

  private JsonNode poll(String id) {
    return get(proxy.uri("/mcp"), id).path("result");
  }

  private JsonNode get(URI node, String id) {
    var poll = McpClient.withTasks().request(node, "tasks/get", Map.of("taskId", id));
    return send(poll).join();
  }

  private CompletableFuture<JsonNode> delegate(
      McpClient client, URI node, String key, String prompt) {
    var arguments = Map.of("description", key, "prompt", prompt);
    var params = Map.of("name", "task", "arguments", arguments);
    return send(client.header("Idempotency-Key", key).request(node, "tools/call", params));
  }

  private CompletableFuture<JsonNode> send(HttpRequest request) {
    return http.sendAsync(request, BodyHandlers.ofString())
        .thenApply(answer -> McpClient.answer(answer.body()));
  }

  private int tasks(String description) throws IOException {
    return first
        .database()
        .withHandle(handle ->
            handle
                .createQuery("select count(*) from task where description = :description")
                .bind("description", description)
                .mapTo(Integer.class)
                .one());
  }

  private Answer child(ModelCall call) throws InterruptedException {
    if (call.prompt().equals(QUICK)) {
      return Answer.says("Quick.");
    }
    running.incrementAndGet();
    open.await();
    return Answer.says("Slow.");
  }
}
