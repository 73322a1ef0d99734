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
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The only worker dies while one skill task runs and two are queued for the same session. */
class SkillQueueIT {

  private static final int CALLS = 3;

  @TempDir Path home;

  private final CountDownLatch open = new CountDownLatch(1);
  private final AtomicInteger searches = new AtomicInteger();

  @Test
  void queuedTasksAreExecutedInOrderAfterACrash() throws Exception {
    try (var endpoint = StubEndpoint.start(new OpenAiStub(), this::answer)) {
      var environment = new HashMap<>(endpoint.environment());
      environment.put("ERRAND_MAX_CONCURRENT_RUNS", "1");
      try (var service = Service.start(home, environment)) {
        var session = service.post("/v1/sessions", Map.of(), 201).get("id").asText();
        service.post("/v1/sessions/" + session + "/messages", Map.of("text", "Search."), 202);
        await()
            .atMost(Duration.ofSeconds(120))
            .until(
                () -> searches.get() == 1 && SessionProbe.tasks(service, session).size() == CALLS);

        service.kill();
        open.countDown();
        service.startAgain();
        SessionProbe.awaitRest(service, session);

        assertThat(endpoint.errors()).isEmpty();
        assertThat(SessionProbe.roles(service, session))
            .containsExactly("user", "assistant", "tool", "assistant");
        checkChild(service, session);
        assertThat(service.get("/v1/stats").at("/conservation/holds").asBoolean()).isTrue();
        var root = SessionId.parse(session).orElseThrow();
        assertThat(Invariants.broken(service.database(), List.of(root))).isEmpty();
      }
    }
  }

  private static void checkChild(Service service, String session) {
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
    if (call.prompt().equals("Search.")) {
      return call.isFirst() ? Answer.calls(searchCalls()) : Answer.says("All searched.");
    }
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
