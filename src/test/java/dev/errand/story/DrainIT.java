package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.kit.OpenAiStub;
import dev.errand.kit.Service;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.ModelCall;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * A service that receives SIGTERM while its model hangs (architecture, rule 8). Each test ends with
 * a new process, which the next one stops.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(OrderAnnotation.class)
class DrainIT {

  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(60);

  /** How long the first process lets its runs continue. */
  private static final String LONG_DRAIN = "100s";

  /** Much less than {@link #LONG_DRAIN}. */
  private static final Duration SECOND_SIGNAL_LIMIT = Duration.ofSeconds(60);

  /** How long the second process lets its runs continue. */
  private static final String SHORT_DRAIN = "5s";

  /** How long the second process answers probes; a busy machine may miss the usual 1 s. */
  private static final String SHUTDOWN_DELAY = "15S";

  private final AtomicInteger modelCalls = new AtomicInteger();
  private volatile CountDownLatch open = new CountDownLatch(1);
  private final StubEndpoint endpoint;
  private final Service service;
  private final Map<String, String> environment = new HashMap<>();

  DrainIT(@TempDir Path home) throws IOException {
    endpoint = StubEndpoint.start(new OpenAiStub(), this::hang);
    environment.putAll(endpoint.environment());
    environment.put("ERRAND_RUN_DRAIN_FOR", LONG_DRAIN);
    service = Service.start(home, environment);
  }

  @BeforeEach
  void modelHangs() {
    open = new CountDownLatch(1);
    modelCalls.set(0);
  }

  @AfterAll
  void stop() throws Exception {
    service.close();
    endpoint.close();
  }

  @Test
  @Order(1)
  void secondSignalShortensTheDrain() throws Exception {
    var drains = drains();
    var task = submit(service).at("/metadata/task_id").asText();
    await().atMost(TIMEOUT).until(() -> modelCalls.get() == 2);

    service.terminate();
    await().atMost(TIMEOUT).until(() -> drains() > drains);
    service.terminate();
    assertThat(service.awaitEnd()).isLessThan(SECOND_SIGNAL_LIMIT);

    environment.put("ERRAND_RUN_DRAIN_FOR", SHORT_DRAIN);
    environment.put("ERRAND_SHUTDOWN_DELAY", SHUTDOWN_DELAY);
    assertCompletedWithoutFailedAttempt(task);
  }

  @Test
  @Order(2)
  void waitingCallerIsAnsweredTheRunIsReleasedAndTheProcessEndsInTime() throws Exception {
    var waiting =
        CompletableFuture.supplyAsync(() -> submitAndWait(service), Thread::startVirtualThread);
    await().atMost(TIMEOUT).until(() -> modelCalls.get() == 2);

    service.terminate();
    await().atMost(TIMEOUT).until(() -> service.status("/q/health/ready") == 503);
    assertThat(service.status("/q/health/live")).isEqualTo(200);
    var answer = waiting.get(STOP_LIMIT.toSeconds(), TimeUnit.SECONDS);
    assertThat(service.awaitEnd()).isLessThan(STOP_LIMIT);

    assertThat(answer.at("/metadata/status").asText()).isEqualTo("running");
    assertCompletedWithoutFailedAttempt(answer.at("/metadata/task_id").asText());
  }

  /** The stop of a node closes the stream, which does not cancel the task. */
  @Test
  @Order(3)
  void callOfMcpIsAnsweredAndItsRepetitionGetsTheResult() throws Exception {
    var waiting = CompletableFuture.supplyAsync(this::callMcp, Thread::startVirtualThread);
    await().atMost(TIMEOUT).until(() -> modelCalls.get() == 2);

    service.terminate();
    var answer = waiting.get(STOP_LIMIT.toSeconds(), TimeUnit.SECONDS);
    assertThat(service.awaitEnd()).isLessThan(STOP_LIMIT);
    open.countDown();
    service.startAgain();
    var again = callMcp();

    assertThat(answer).contains("still running, task_id task_");
    var task = answer.replaceFirst("(?s).*task_id (task_[0-9a-f]{32}).*", "$1");
    assertThat(again).contains("\"text\":\"Done.\"", task);
  }

  /** With the same key each time. */
  private String callMcp() {
    var call =
        """
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
          "name": "task", "arguments": {"description": "a task", "prompt": "Do it."},
          "_meta": {"progressToken": 1, "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                    "io.modelcontextprotocol/clientCapabilities": {}}}}
        """;
    var request =
        HttpRequest.newBuilder(service.uri("/mcp"))
            .header("Content-Type", "application/json")
            .header("MCP-Protocol-Version", "2026-07-28")
            .header("Mcp-Method", "tools/call")
            .header("Mcp-Name", "task")
            .header("Idempotency-Key", "the call")
            .POST(HttpRequest.BodyPublishers.ofString(call))
            .build();
    try (var client = HttpClient.newHttpClient()) {
      return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AssertionError("a call was interrupted", interrupted);
    }
  }

  /** The drains in the log of all processes, each with one run. */
  private long drains() throws IOException {
    return service.logged().stream().filter(line -> line.contains("1 runs may continue")).count();
  }

  /** The second turn hangs. */
  private Answer hang(ModelCall call) throws InterruptedException {
    modelCalls.incrementAndGet();
    if (call.isFirst()) {
      return Answer.calls(Answer.call("list", Map.of()));
    }
    open.await();
    return Answer.says("Done.");
  }

  private static JsonNode submitAndWait(Service service) {
    return service.post(
        "/v1/tasks",
        Map.of("description", "a task", "prompt", "Do it.", "background", false),
        202,
        "Prefer",
        "wait=120");
  }

  private static JsonNode submit(Service service) {
    return service.post(
        "/v1/tasks", Map.of("description", "a task", "prompt", "Do it.", "background", true), 202);
  }

  /** No turn was repeated, and no other worker took over. */
  private void assertCompletedWithoutFailedAttempt(String id) throws Exception {
    open.countDown();
    service.startAgain();
    var task = service.get("/v1/tasks/" + id + "?wait_ms=60000");
    assertThat(task.get("state").asText()).isEqualTo("completed");
    assertThat(task.get("attempts").asInt()).isEqualTo(1);
    assertThat(task.get("takeovers").asInt()).isZero();
    assertThat(SessionProbe.roles(service, task.get("session_id").asText()))
        .containsExactly("user", "assistant", "tool", "assistant");
  }
}
