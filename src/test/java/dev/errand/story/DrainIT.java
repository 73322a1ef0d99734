package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.kit.OpenAiStub;
import dev.errand.kit.Service;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.ModelCall;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A service that receives SIGTERM while its model hangs (architecture, rule 8). */
class DrainIT {

  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(40);

  /** Less than the 20 s that runs get to reach a turn boundary. */
  private static final Duration SECOND_SIGNAL_LIMIT = Duration.ofSeconds(15);

  @TempDir Path home;

  private final AtomicInteger modelCalls = new AtomicInteger();
  private final CountDownLatch open = new CountDownLatch(1);

  @Test
  void waitingCallerIsAnsweredTheRunIsReleasedAndTheProcessEndsInTime() throws Exception {
    try (var endpoint = StubEndpoint.start(new OpenAiStub(), this::hang);
        var service = Service.start(home, endpoint.environment())) {
      var waiting =
          CompletableFuture.supplyAsync(() -> submitAndWait(service), Thread::startVirtualThread);
      await().atMost(TIMEOUT).until(() -> modelCalls.get() == 1);

      service.terminate();
      await().atMost(TIMEOUT).until(() -> service.status("/q/health/ready") == 503);
      assertThat(service.status("/q/health/live")).isEqualTo(200);
      var answer = waiting.get(STOP_LIMIT.toSeconds(), TimeUnit.SECONDS);
      assertThat(service.awaitEnd()).isLessThan(STOP_LIMIT);

      assertThat(answer.at("/metadata/status").asText()).isEqualTo("running");
      assertCompletedWithoutFailedAttempt(service, answer.at("/metadata/task_id").asText());
    }
  }

  @Test
  void secondSignalShortensTheDrain() throws Exception {
    try (var endpoint = StubEndpoint.start(new OpenAiStub(), this::hang);
        var service = Service.start(home, endpoint.environment())) {
      var task = submit(service).at("/metadata/task_id").asText();
      await().atMost(TIMEOUT).until(() -> modelCalls.get() == 1);

      service.terminate();
      await()
          .atMost(TIMEOUT)
          .until(() ->
              service.logged().stream().anyMatch(line -> line.contains("1 runs may continue")));
      service.terminate();
      assertThat(service.awaitEnd()).isLessThan(SECOND_SIGNAL_LIMIT);

      assertCompletedWithoutFailedAttempt(service, task);
    }
  }

  private Answer hang(ModelCall request) throws InterruptedException {
    modelCalls.incrementAndGet();
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

  private void assertCompletedWithoutFailedAttempt(Service service, String id) throws Exception {
    open.countDown();
    service.startAgain();
    var task = service.get("/v1/tasks/" + id + "?wait_ms=60000");
    assertThat(task.get("state").asText()).isEqualTo("completed");
    assertThat(task.get("attempts").asInt()).isEqualTo(1);
    assertThat(task.get("takeovers").asInt()).isZero();
  }
}
