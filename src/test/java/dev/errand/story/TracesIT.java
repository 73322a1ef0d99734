package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.kit.OpenAiStub;
import dev.errand.kit.Service;
import dev.errand.kit.SpanCollector;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.ModelCall;
import dev.errand.kit.TracedSpan;
import dev.errand.kit.WebhookReceiver;
import io.opentelemetry.proto.trace.v1.Span.SpanKind;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** The trace of a request contains everything that the request causes, in any process. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(OrderAnnotation.class)
class TracesIT {

  private static final String CALLER = "00f067aa0ba902b7";
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final int TASKS = 20;

  private final SpanCollector collector;
  private final StubEndpoint endpoint;
  private final Service service;

  private CountDownLatch open = new CountDownLatch(1);
  private String trace = "";
  private String otherTrace = "";

  TracesIT(@TempDir Path home) throws IOException {
    collector = SpanCollector.start();
    endpoint = StubEndpoint.start(new OpenAiStub(), this::answer);
    var environment = new HashMap<>(collector.with(endpoint.environment()));
    environment.put("ERRAND_LOG_JSON", "true");
    environment.put("QUARKUS_LOG_CATEGORY__DEV_ERRAND_RUN__LEVEL", "DEBUG");
    environment.put("ERRAND_WEBHOOKS_ALLOW_PRIVATE", "true");
    environment.put("ERRAND_MODEL_RETRY_ATTEMPTS", "2");
    environment.put("ERRAND_MODEL_RETRY_FIRST_DELAY", "10ms");
    environment.put("ERRAND_MODELS_PATIENCE", "0s");
    service = Service.start(home, environment);
  }

  @AfterAll
  void stop() throws IOException, InterruptedException {
    service.close();
    endpoint.close();
    collector.close();
  }

  /** Each test has traces of its own. */
  @BeforeEach
  void begin() {
    open = new CountDownLatch(1);
    trace = UUID.randomUUID().toString().replace("-", "");
    otherTrace = UUID.randomUUID().toString().replace("-", "");
  }

  @Test
  void everythingThatASubmissionCausesBelongsToItsTrace() throws Exception {
    open.countDown();
    var parent = open(Map.of());
    var child = submit(parent, trace).at("/metadata/sub_session_id").asText();
    SessionProbe.awaitRest(service, parent);
    await().atMost(TIMEOUT).until(() -> named("invoke_agent primary").size() == 1);

    await().atMost(TIMEOUT).until(() -> collector.trace(trace).size() == 8);
    assertThat(tree(collector.trace(trace)))
        .containsExactlyInAnyOrder(
            "POST /v1/tasks < caller",
            "invoke_agent general < POST /v1/tasks",
            "chat gpt-test < invoke_agent general",
            "execute_tool list < invoke_agent general",
            "chat gpt-test < invoke_agent general",
            "deliver < POST /v1/tasks",
            "invoke_agent primary < deliver",
            "chat gpt-test < invoke_agent primary");
    checkAttributes(parent, child);
    assertThat(collector.spans())
        .allSatisfy(span -> assertThat(span.asText()).doesNotContain("SECRET"))
        .noneMatch(span -> span.name().contains("/q/"));
  }

  private void checkAttributes(String parent, String child) {
    var run = one("invoke_agent general");
    assertThat(run.kind()).isEqualTo(SpanKind.SPAN_KIND_INTERNAL);
    assertThat(run.attributes())
        .containsEntry("gen_ai.operation.name", "invoke_agent")
        .containsEntry("gen_ai.agent.name", "general")
        .containsEntry("gen_ai.conversation.id", child)
        .containsEntry("gen_ai.provider.name", "openai")
        .containsEntry("gen_ai.request.model", "gpt-test")
        .containsEntry("errand.session.takeovers", "0")
        .containsKey("errand.task.id");
    assertThat(named("chat gpt-test"))
        .hasSize(3)
        .allSatisfy(chat -> {
          assertThat(chat.kind()).isEqualTo(SpanKind.SPAN_KIND_CLIENT);
          assertThat(chat.attributes())
              .containsEntry("gen_ai.operation.name", "chat")
              .containsEntry("gen_ai.provider.name", "openai")
              .containsEntry("gen_ai.request.model", "gpt-test")
              .containsEntry("gen_ai.usage.input_tokens", "12")
              .containsEntry("gen_ai.usage.output_tokens", "5");
          assertThat(chat.attributes().get("gen_ai.conversation.id")).isIn(parent, child);
        });
    assertThat(one("execute_tool list").attributes())
        .containsEntry("gen_ai.operation.name", "execute_tool")
        .containsEntry("gen_ai.tool.name", "list")
        .containsEntry("gen_ai.tool.type", "function")
        .hasEntrySatisfying("gen_ai.tool.call.id", id -> assertThat(id).startsWith("call_"));
    assertThat(one("deliver").kind()).isEqualTo(SpanKind.SPAN_KIND_PRODUCER);
  }

  @Test
  void childBelongsToTheDelegatingCallAndTheParentContinuesUnderTheDelivery() throws Exception {
    var parent = open(Map.of());
    say(parent, "Delegate.", trace);
    // With an answer that arrives before, the first run of the parent would continue.
    await().atMost(TIMEOUT).until(() -> isWaiting(parent));
    open.countDown();
    SessionProbe.awaitRest(service, parent);
    await().atMost(TIMEOUT).until(() -> named("invoke_agent primary").size() == 2);

    await().atMost(TIMEOUT).until(() -> collector.trace(trace).size() == 11);
    assertThat(tree(collector.trace(trace)))
        .containsExactlyInAnyOrder(
            "POST /v1/sessions/{id}/messages < caller",
            "invoke_agent primary < POST /v1/sessions/{id}/messages",
            "chat gpt-test < invoke_agent primary",
            "execute_tool task < invoke_agent primary",
            "invoke_agent general < execute_tool task",
            "chat gpt-test < invoke_agent general",
            "execute_tool list < invoke_agent general",
            "chat gpt-test < invoke_agent general",
            "deliver < execute_tool task",
            "invoke_agent primary < deliver",
            "chat gpt-test < invoke_agent primary");
    assertThat(endpoint.headers("traceparent"))
        .filteredOn(sent -> sent.startsWith("00-" + trace))
        .hasSize(4);
    assertThat(service.logged())
        .filteredOn(line -> line.contains("\"traceId\":\"" + trace))
        .filteredOn(line -> line.contains("Run begins"))
        .hasSize(3);
  }

  @Test
  void takeoverContinuesInTheSameTrace() throws Exception {
    var parent = open(Map.of());
    submit(parent, trace);
    await().atMost(TIMEOUT).until(() -> modelCalls() == 2);
    await().atMost(TIMEOUT).until(() -> named("POST /v1/tasks").size() == 1);

    service.kill();
    open.countDown();
    service.startAgain();
    SessionProbe.awaitRest(service, parent);
    await().atMost(TIMEOUT).until(() -> named("invoke_agent primary").size() == 1);

    var request = one("POST /v1/tasks");
    var takeover = one("invoke_agent general");
    assertThat(takeover.traceId()).isEqualTo(trace);
    assertThat(takeover.parent()).isEqualTo(request.id());
    assertThat(takeover.attributes())
        .containsEntry("errand.session.takeovers", "1")
        .containsEntry("errand.session.epoch", "3");
    var resumed = one("invoke_agent primary");
    assertThat(resumed.traceId()).isEqualTo(trace);
    assertThat(resumed.parent()).isEqualTo(one("deliver").id());
  }

  @Test
  void messageThatArrivesDuringARunIsALinkOfItsSpan() throws Exception {
    var session = open(Map.of());
    say(session, "Wait.", trace);
    await().atMost(TIMEOUT).until(() -> modelCalls() == 1);
    say(session, "And this.", otherTrace);
    open.countDown();
    SessionProbe.awaitRest(service, session);
    await().atMost(TIMEOUT).until(() -> named("invoke_agent primary").size() == 1);

    var run = one("invoke_agent primary");
    assertThat(run.traceId()).isEqualTo(trace);
    assertThat(run.links()).containsExactly(otherTrace);
  }

  @Test
  void queuedTaskRunsInTheTraceOfItsRequest() throws Exception {
    var limits = Map.of("max_background_tasks", 1);
    var parent = open(Map.of("kind", "external", "limits", limits));
    submit(parent, trace);
    submit(parent, otherTrace);
    open.countDown();
    SessionProbe.awaitRest(service, parent);
    await().atMost(TIMEOUT).until(() -> named("invoke_agent general").size() == 2);

    assertThat(named("invoke_agent general"))
        .extracting(TracedSpan::traceId)
        .containsExactly(trace, otherTrace);
  }

  @Test
  void webhookCarriesItsTraceContext() throws Exception {
    open.countDown();
    try (var receiver = new WebhookReceiver()) {
      var callback = Map.of("url", receiver.url());
      var parent = open(Map.of("kind", "external", "callback", callback));
      submit(parent, trace);
      var post = receiver.awaitPosts(1).getFirst();
      await().atMost(TIMEOUT).until(() -> named("deliver").size() == 1);

      var request = one("POST /v1/tasks");
      var delivery = one("deliver");
      assertThat(delivery.parent()).isEqualTo(request.id());
      assertThat(delivery.attributes()).containsEntry("errand.delivery.target", "webhook");
      assertThat(post.header("traceparent"))
          .isEqualTo("00-%s-%s-01".formatted(trace, delivery.id()));
      assertThat(post.body())
          .contains("\"traceparent\":\"00-%s-%s-01\"".formatted(trace, request.id()));
    }
  }

  @Test
  void modelFailureIsTheErrorOfItsSpanAndOfTheRun() throws Exception {
    var session = open(Map.of());
    say(session, "Try.", trace);
    await().atMost(TIMEOUT).until(() -> named("invoke_agent primary").size() == 1);

    assertThat(named("chat gpt-test"))
        .hasSize(2)
        .allSatisfy(
            chat -> assertThat(chat.attributes()).containsEntry("error.type", "model_unavailable"));
    assertThat(one("invoke_agent primary").attributes())
        .containsEntry("error.type", "model_unavailable");
  }

  @Test
  void callOfMcpContinuesTheTraceOfItsClient() {
    open.countDown();
    var arguments =
        Map.of("description", "SECRET description", "prompt", "SECRET prompt", "background", true);
    var params =
        Map.of(
            "name",
            "task",
            "arguments",
            arguments,
            "_meta",
            Map.of("traceparent", traceParent(trace)));
    service.post(
        "/mcp", Map.of("jsonrpc", "2.0", "id", 1, "method", "tools/call", "params", params), 200);

    await()
        .atMost(TIMEOUT)
        .untilAsserted(() ->
            assertThat(tree(collector.trace(trace)))
                .contains("mcp tools/call < caller", "invoke_agent general < mcp tools/call"));
  }

  @Test
  void invalidTraceparentStartsANewTrace() throws Exception {
    open.countDown();
    var session = open(Map.of());
    for (var nonsense :
        List.of(
            "nonsense",
            "00-" + "0".repeat(32) + "-" + CALLER + "-01",
            "ff-" + trace + "-" + CALLER + "-01",
            "00-" + trace + "-" + CALLER + "-01" + "x".repeat(5000))) {
      service.post(
          "/v1/sessions/" + session + "/messages",
          Map.of("text", "Hello."),
          202,
          "traceparent",
          nonsense);
      SessionProbe.awaitRest(service, session);
    }
    await().atMost(TIMEOUT).until(() -> runsOf(session).size() == 4);

    assertThat(collector.trace(trace)).isEmpty();
    // The span of a request may be exported after that of the run.
    await()
        .atMost(TIMEOUT)
        .untilAsserted(() -> assertThat(runsOf(session)).allSatisfy(this::assertBeginsTrace));
  }

  /** The request of a run has no parent. */
  private void assertBeginsTrace(TracedSpan run) {
    assertThat(collector.trace(run.traceId()))
        .filteredOn(span -> span.name().equals("POST /v1/sessions/{id}/messages"))
        .extracting(TracedSpan::parent)
        .containsExactly("");
  }

  @Test
  @Order(Integer.MAX_VALUE)
  void unreachableCollectorCausesFewWarnings() throws Exception {
    collector.close();
    open.countDown();
    for (int round = 0; round < TASKS; round++) {
      var parent = open(Map.of());
      submit(parent, trace);
      SessionProbe.awaitRest(service, parent);
    }
    await().atMost(TIMEOUT).until(() -> !warnings().isEmpty());
    service.stop();

    assertThat(warnings()).hasSizeBetween(1, 12);
  }

  private List<String> warnings() throws IOException {
    return service.logged().stream().filter(line -> line.contains("Failed to export")).toList();
  }

  private List<TracedSpan> runsOf(String session) {
    return collector.spans().stream()
        .filter(span -> span.name().equals("invoke_agent primary"))
        .filter(span -> session.equals(span.attributes().get("gen_ai.conversation.id")))
        .toList();
  }

  private boolean isWaiting(String session) {
    return service.get("/v1/sessions/" + session).get("state").asText().equals("waiting");
  }

  /** The number of model calls in the trace of this test. */
  private long modelCalls() {
    return endpoint.headers("traceparent").stream()
        .filter(sent -> sent.startsWith("00-" + trace))
        .count();
  }

  private String open(Map<String, ?> body) {
    return service.post("/v1/sessions", body, 201).get("id").asText();
  }

  private JsonNode submit(String parent, String underTrace) {
    var task =
        Map.of(
            "parent_session_id",
            parent,
            "description",
            "SECRET description",
            "prompt",
            "SECRET prompt",
            "background",
            true);
    return service.post("/v1/tasks", task, 202, "traceparent", traceParent(underTrace));
  }

  private void say(String session, String text, String underTrace) {
    service.post(
        "/v1/sessions/" + session + "/messages",
        Map.of("text", text),
        202,
        "traceparent",
        traceParent(underTrace));
  }

  private static String traceParent(String id) {
    return "00-" + id + "-" + CALLER + "-01";
  }

  /** The spans of this name in the traces of this test. */
  private List<TracedSpan> named(String name) {
    return Stream.of(trace, otherTrace)
        .flatMap(id -> collector.trace(id).stream())
        .filter(span -> span.name().equals(name))
        .toList();
  }

  /** Spans are exported when they have ended, each on its own. */
  private TracedSpan one(String name) {
    await().atMost(TIMEOUT).until(() -> named(name).size() == 1);
    return named(name).getFirst();
  }

  /** One line per span: its name and the name of its parent. */
  private static List<String> tree(List<TracedSpan> spans) {
    var names = spans.stream().collect(Collectors.toMap(TracedSpan::id, TracedSpan::name));
    names.put(CALLER, "caller");
    return spans.stream()
        .map(span -> span.name() + " < " + names.getOrDefault(span.parent(), "none"))
        .toList();
  }

  /** Acts as the prompt says. A child lists the files and then answers. */
  private Answer answer(ModelCall call) throws InterruptedException {
    return switch (call.prompt()) {
      case "Delegate." ->
          call.isFirst() ? Answer.calls(Answer.task("SECRET prompt", false)) : says("It came.");
      case "SECRET prompt" ->
          call.isFirst() ? Answer.calls(Answer.call("list", Map.of())) : says("SECRET result");
      case "Wait." -> says("I waited.");
      case "Try." -> throw new StubEndpoint.ErrorStatus(503);
      default -> Answer.says("I see.");
    };
  }

  private Answer says(String text) throws InterruptedException {
    open.await();
    return Answer.says(text);
  }
}
