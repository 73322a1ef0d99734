package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.SessionId;
import dev.errand.kit.EventClient;
import dev.errand.kit.EventClient.Received;
import dev.errand.kit.Invariants;
import dev.errand.kit.OpenAiStub;
import dev.errand.kit.Service;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.ModelCall;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Agents that host their own loop: the example of the documentation, and calls and streams of
 * events that a stop and a crash interrupt.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ExternalAgentIT {

  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final Path EXAMPLE = Path.of("docs/examples/ExternalAgent.java");
  private static final String SLOW = "Dig deep.";
  private static final int TASKS = 5;

  private final CountDownLatch slowChildRuns = new CountDownLatch(1);
  private final CountDownLatch open = new CountDownLatch(1);
  private final Path workspace;
  private final StubEndpoint endpoint;
  private final Service service;

  ExternalAgentIT(@TempDir Path home, @TempDir Path workspace) throws IOException {
    this.workspace = workspace;
    endpoint = StubEndpoint.start(new OpenAiStub(), this::answer);
    var environment = new HashMap<>(endpoint.environment());
    environment.put("ERRAND_TOOLS_BASH", "enabled");
    environment.put("ERRAND_WEBHOOKS_ALLOW_PRIVATE", "true");
    environment.put("ERRAND_RUN_DRAIN_FOR", "90s");
    service = Service.start(home, environment);
  }

  @AfterAll
  void stop() throws Exception {
    open.countDown();
    service.close();
    endpoint.close();
  }

  @Test
  void exampleDelegatesUsesToolsAndIsToldByWebhook() throws Exception {
    var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    var agent =
        new ProcessBuilder(java, EXAMPLE.toString(), "Where is the gold?")
            .redirectErrorStream(true);
    agent.environment().putAll(endpoint.environment());
    agent.environment().put("ERRAND_URL", service.uri("").toString());
    var process = agent.start();
    var printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(endpoint.errors()).isEmpty();
    assertThat(printed)
        .contains("calls list {}", "calls task {", "is told of task_")
        .endsWith("The gold is in the mountains.\n");
    assertThat(process.exitValue()).isZero();
    var session = service.items("/v1/sessions?q=elsewhere", "cursor").getFirst();
    assertThat(SessionProbe.roles(service, session.get("id").asText()))
        .as("the notice is kept with the session, too")
        .containsExactly("user/notice");
  }

  private Answer answer(ModelCall call) throws InterruptedException {
    if (call.prompt().equals(SLOW)) {
      slowChildRuns.countDown();
      open.await();
      return Answer.says("Gold.");
    }
    if (call.prompt().equals("Dig.")) {
      return Answer.says("Gold is in the mountains.");
    }
    if (call.isFirst()) {
      return Answer.calls(Answer.call("list", Map.of()), Answer.task("Dig.", true));
    }
    var told = call.last().role().equals("user") && call.last().text().contains("mountains");
    return Answer.says(told ? "The gold is in the mountains." : "Somebody is digging.");
  }

  /**
   * A stopping process lets a command end. When the process is killed, the command has written its
   * line; it is not started again. A client that follows the events misses none.
   */
  @Test
  void stoppedProcessEndsItsCallsAndAKilledOneLeavesSideEffectsUnknown() throws Exception {
    var rule = Map.of("permission", "bash", "pattern", "*", "action", "allow");
    var opened =
        Map.of(
            "kind", "external",
            "workspace", workspace.toString(),
            "permissions", List.of(rule));
    var session = service.post("/v1/sessions", opened, 201).get("id").asText();
    var events = service.uri("/v1/sessions/" + session + "/events?tree=true");
    try (var client = EventClient.follow(events)) {
      delegate(session);
      await().atMost(TIMEOUT).until(() -> ended(client) == TASKS);
      stopDuringACall(session, client);
      assertThat(client.retries()).isNotEmpty();
      assertThat(Integer.parseInt(client.retries().getFirst())).isBetween(1_000, 2_000);
      assertThat(client.cleanEnds()).isPositive();

      killDuringCalls(session, client);
      delegate(session);
      await().atMost(TIMEOUT).until(() -> ended(client) == 3 * TASKS + 1);
      SessionProbe.awaitRest(service, session);

      var numbers = client.received().stream().map(Received::id).toList();
      assertThat(numbers)
          .containsExactlyElementsOf(LongStream.rangeClosed(1, numbers.size()).boxed().toList());
    }
    var root = SessionId.parse(session).orElseThrow();
    assertThat(Invariants.broken(service.database(), List.of(root))).isEmpty();
  }

  private void stopDuringACall(String session, EventClient client) throws Exception {
    var ends = Map.of("command", "touch begun; until test -e go; do sleep 0.1; done; echo ended");
    call(session, "ends", "bash", ends, 202);
    awaitFile("begun");

    var before = client.cleanEnds();
    service.terminate();
    // The streams end first; probes are answered only for a second after that.
    await().atMost(TIMEOUT).until(() -> client.cleanEnds() > before);
    Files.createFile(workspace.resolve("go"));
    service.awaitEnd();
    service.startAgain();

    assertThat(ended(session, "ends").get("content").asText()).startsWith("ended");
  }

  private void killDuringCalls(String session, EventClient client) throws Exception {
    var command = Map.of("command", "echo begun >> log.txt; tail -f /dev/null");
    call(session, "side_effect", "bash", command, 202);
    var task = Map.of("description", "a task", "prompt", SLOW);
    call(session, "task", "task", task, 202);
    awaitFile("log.txt");
    slowChildRuns.await();
    delegate(session);
    await().atMost(TIMEOUT).until(() -> ended(client) > TASKS);

    service.kill();
    open.countDown();
    service.startAgain();

    assertThat(ended(session, "side_effect").get("state").asText()).isEqualTo("unknown");
    assertThat(ended(session, "task").get("content").asText()).startsWith("Gold.");
    var again = call(session, "side_effect", "bash", command, 200);
    assertThat(again.get("content").asText()).startsWith("The worker was lost during this call");
    assertThat(workspace.resolve("log.txt")).hasContent("begun");
  }

  private void delegate(String session) {
    for (int task = 0; task < TASKS; task++) {
      var body =
          Map.of(
              "parent_session_id",
              session,
              "description",
              "task " + task,
              "prompt",
              "Dig.",
              "background",
              true);
      service.post("/v1/tasks", body, 202);
    }
  }

  private static long ended(EventClient client) {
    return client.types().stream().filter("subagent.completed"::equals).count();
  }

  private void awaitFile(String name) {
    await().atMost(TIMEOUT).until(() -> Files.exists(workspace.resolve(name)));
  }

  private JsonNode call(
      String session, String id, String tool, Map<String, ?> arguments, int status) {
    var body = Map.of("call_id", id, "name", tool, "arguments", arguments);
    return service.post(
        "/v1/sessions/" + session + "/tool-calls", body, status, "Prefer", "wait=0");
  }

  private JsonNode ended(String session, String id) {
    var path = "/v1/sessions/" + session + "/tool-calls/" + id + "?wait_ms=60000";
    return service.get(path);
  }
}
