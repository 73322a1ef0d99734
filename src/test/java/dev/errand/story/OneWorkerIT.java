package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.conversation.SessionId;
import dev.errand.kit.Invariants;
import dev.errand.kit.OpenAiStub;
import dev.errand.kit.Service;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.ModelCall;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A service with a single worker, which creates its database itself. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OneWorkerIT {

  private static final int CALLS = 3;

  private final CountDownLatch open = new CountDownLatch(1);
  private final AtomicInteger searches = new AtomicInteger();
  private final StubEndpoint endpoint;
  private final Service service;

  OneWorkerIT(@TempDir Path home) throws IOException {
    endpoint = StubEndpoint.start(new OpenAiStub(), this::answer);
    var environment = new HashMap<>(endpoint.environment());
    environment.put("ERRAND_MAX_CONCURRENT_RUNS", "1");
    service = Service.startWithoutCopy(home, environment);
  }

  @AfterAll
  void stop() throws Exception {
    service.close();
    endpoint.close();
  }

  @Test
  void parentThatWaitsForTwoChildrenDoesNotOccupyTheOnlyWorker() {
    var session = service.post("/v1/sessions", Map.of(), 201).get("id").asText();

    var replied =
        service.post(
            "/v1/sessions/" + session + "/messages",
            Map.of("text", "Ask both."),
            200,
            "Prefer",
            "wait=100");

    assertThat(SessionProbe.text(replied.get("reply"))).isEqualTo("Both answered.");
    assertThat(endpoint.errors()).isEmpty();
    assertThat(SessionProbe.roles(service, session))
        .containsExactly("user", "assistant", "tool", "assistant");
  }

  /** The worker dies while one skill task runs and two are queued for the same session. */
  @Test
  void queuedTasksAreExecutedInOrderAfterACrash() throws Exception {
    var session = service.post("/v1/sessions", Map.of(), 201).get("id").asText();
    service.post("/v1/sessions/" + session + "/messages", Map.of("text", "Search."), 202);
    await()
        .atMost(Duration.ofSeconds(120))
        .until(() -> searches.get() == 1 && SessionProbe.tasks(service, session).size() == CALLS);

    service.kill();
    open.countDown();
    service.startAgain();
    SessionProbe.awaitRest(service, session);

    assertThat(endpoint.errors()).isEmpty();
    assertThat(SessionProbe.roles(service, session))
        .containsExactly("user", "assistant", "tool", "assistant");
    checkChild(session);
    assertThat(service.get("/v1/stats").at("/conservation/holds").asBoolean()).isTrue();
    var root = SessionId.parse(session).orElseThrow();
    assertThat(Invariants.broken(service.database(), List.of(root))).isEmpty();
  }

  private void checkChild(String session) {
    var tasks = SessionProbe.tasks(service, session);
    assertThat(tasks).allMatch(task -> task.get("state").asText().equals("completed"));
    var children = tasks.stream().map(task -> task.get("session_id").asText()).distinct().toList();
    assertThat(children).hasSize(1);
    assertThat(SessionProbe.roles(service, children.getFirst()))
        .containsExactly("user", "assistant", "user", "assistant", "user", "assistant");
    var ends =
        tasks.reversed().stream()
            .map(task -> Instant.parse(task.get("ended_at").asText()))
            .toList();
    assertThat(ends).as("ends in the order of acceptance").isSorted();
  }

  private Answer answer(ModelCall call) throws InterruptedException {
    return switch (call.prompt()) {
      case "Ask both." ->
          call.isFirst()
              ? Answer.calls(Answer.task("left", false), Answer.task("right", false))
              : Answer.says("Both answered.");
      case "left", "right" -> Answer.says("my answer");
      case "Search." -> call.isFirst() ? Answer.calls(searchCalls()) : Answer.says("All searched.");
      default -> search();
    };
  }

  private Answer search() throws InterruptedException {
    searches.incrementAndGet();
    open.await();
    return Answer.says("Nothing fits.");
  }

  private static StubEndpoint.Call[] searchCalls() {
    return IntStream.range(0, CALLS)
        .mapToObj(number ->
            Answer.call(
                "bash", Map.of("command", "task:skill:search --prompt 'search " + number + "'")))
        .toArray(StubEndpoint.Call[]::new);
  }
}
