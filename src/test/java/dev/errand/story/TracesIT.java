package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.kit.OpenAiStub;
import dev.errand.kit.Service;
import dev.errand.kit.SpanCollector;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.Asked;
import dev.errand.kit.TracedSpan;
import dev.errand.kit.WebhookReceiver;
import io.opentelemetry.proto.trace.v1.Span.SpanKind;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One request's trace holds all that follows from it, in whichever process that happens. */
class TracesIT {

  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String CALLER = "00f067aa0ba902b7";
  private static final String OTHER_TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path home;

  private final CountDownLatch open = new CountDownLatch(1);

  @Test
  void allThatFollowsFromASubmissionHangsUnderItsRequest() throws Exception {
    open.countDown();
    try (var collector = SpanCollector.start();
        var endpoint = StubEndpoint.start(new OpenAiStub(), this::answer);
        var service = Service.start(home, collector.with(endpoint.environment()))) {
      var parent = open(service, Map.of());
      var child = submit(service, parent, TRACE).at("/metadata/sub_session_id").asText();
      Rest.await(service, parent);
      await().atMost(PATIENCE).until(() -> named(collector, "invoke_agent primary").size() == 1);

      var tree = tree(collector.trace(TRACE));
      assertThat(tree)
          .containsExactlyInAnyOrder(
              "POST /v1/tasks < caller",
              "invoke_agent general < POST /v1/tasks",
              "chat gpt-test < invoke_agent general",
              "execute_tool list < invoke_agent general",
              "chat gpt-test < invoke_agent general",
              "deliver < POST /v1/tasks",
              "invoke_agent primary < deliver",
              "chat gpt-test < invoke_agent primary");
      checkAttributes(collector, parent, child);
      assertThat(collector.spans())
          .allSatisfy(span -> assertThat(span.asText()).doesNotContain("SECRET"))
          .noneMatch(span -> span.name().contains("/q/"));
    }
  }

  private static void checkAttributes(SpanCollector collector, String parent, String child) {
    var run = one(collector, "invoke_agent general");
    assertThat(run.kind()).isEqualTo(SpanKind.SPAN_KIND_INTERNAL);
    assertThat(run.attributes())
        .containsEntry("gen_ai.operation.name", "invoke_agent")
        .containsEntry("gen_ai.agent.name", "general")
        .containsEntry("gen_ai.conversation.id", child)
        .containsEntry("gen_ai.provider.name", "openai")
        .containsEntry("gen_ai.request.model", "gpt-test")
        .containsEntry("errand.session.takeovers", "0")
        .containsKey("errand.task.id");
    assertThat(named(collector, "chat gpt-test"))
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
    assertThat(one(collector, "execute_tool list").attributes())
        .containsEntry("gen_ai.operation.name", "execute_tool")
        .containsEntry("gen_ai.tool.name", "list")
        .containsEntry("gen_ai.tool.type", "function")
        .hasEntrySatisfying("gen_ai.tool.call.id", id -> assertThat(id).startsWith("call_"));
    assertThat(one(collector, "deliver").kind()).isEqualTo(SpanKind.SPAN_KIND_PRODUCER);
  }

  @Test
  void childHangsUnderTheCallThatDelegatedAndTheParentGoesOnUnderTheDelivery() throws Exception {
    open.countDown();
    try (var collector = SpanCollector.start();
        var endpoint = StubEndpoint.start(new OpenAiStub(), this::answer);
        var service = Service.start(home, withJsonLog(collector, endpoint))) {
      var parent = open(service, Map.of());
      say(service, parent, "Delegate.", TRACE);
      Rest.await(service, parent);
      await().atMost(PATIENCE).until(() -> named(collector, "invoke_agent primary").size() == 2);

      assertThat(tree(collector.trace(TRACE)))
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
          .hasSize(4)
          .allSatisfy(sent -> assertThat(sent).startsWith("00-" + TRACE));
      assertThat(service.logged())
          .filteredOn(line -> line.contains("Run begins"))
          .hasSize(3)
          .allSatisfy(line -> assertThat(line).contains("\"traceId\":\"" + TRACE));
    }
  }

  private static Map<String, String> withJsonLog(SpanCollector collector, StubEndpoint endpoint) {
    var environment = new HashMap<>(collector.with(endpoint.environment()));
    environment.put("ERRAND_LOG_JSON", "true");
    return environment;
  }

  @Test
  void takeoverGoesOnInTheSameTrace() throws Exception {
    try (var collector = SpanCollector.start();
        var endpoint = StubEndpoint.start(new OpenAiStub(), this::answer);
        var service = Service.start(home, collector.with(endpoint.environment()))) {
      var parent = open(service, Map.of());
      submit(service, parent, TRACE);
      await().atMost(PATIENCE).until(() -> endpoint.asked().size() == 2);
      await().atMost(PATIENCE).until(() -> named(collector, "POST /v1/tasks").size() == 1);

      service.kill();
      open.countDown();
      service.startAgain();
      Rest.await(service, parent);
      await().atMost(PATIENCE).until(() -> named(collector, "invoke_agent primary").size() == 1);

      var request = one(collector, "POST /v1/tasks");
      var takeover = one(collector, "invoke_agent general");
      assertThat(takeover.traceId()).isEqualTo(TRACE);
      assertThat(takeover.parent()).isEqualTo(request.id());
      assertThat(takeover.attributes())
          .containsEntry("errand.session.takeovers", "1")
          .containsEntry("errand.session.epoch", "3");
      var resumed = one(collector, "invoke_agent primary");
      assertThat(resumed.traceId()).isEqualTo(TRACE);
      assertThat(resumed.parent()).isEqualTo(one(collector, "deliver").id());
    }
  }

  @Test
  void whatComesDuringARunIsALinkOfItsSpan() throws Exception {
    try (var collector = SpanCollector.start();
        var endpoint = StubEndpoint.start(new OpenAiStub(), this::answer);
        var service = Service.start(home, collector.with(endpoint.environment()))) {
      var session = open(service, Map.of());
      say(service, session, "Wait.", TRACE);
      await().atMost(PATIENCE).until(() -> endpoint.asked().size() == 1);
      say(service, session, "And this.", OTHER_TRACE);
      open.countDown();
      Rest.await(service, session);
      await().atMost(PATIENCE).until(() -> named(collector, "invoke_agent primary").size() == 1);

      var run = one(collector, "invoke_agent primary");
      assertThat(run.traceId()).isEqualTo(TRACE);
      assertThat(run.links()).containsExactly(OTHER_TRACE);
    }
  }

  @Test
  void taskThatWaitsItsTurnRunsInTheTraceOfItsRequest() throws Exception {
    try (var collector = SpanCollector.start();
        var endpoint = StubEndpoint.start(new OpenAiStub(), this::answer);
        var service = Service.start(home, collector.with(endpoint.environment()))) {
      var limits = Map.of("max_background_tasks", 1);
      var parent = open(service, Map.of("kind", "external", "limits", limits));
      submit(service, parent, TRACE);
      submit(service, parent, OTHER_TRACE);
      open.countDown();
      Rest.await(service, parent);
      await().atMost(PATIENCE).until(() -> named(collector, "invoke_agent general").size() == 2);

      assertThat(named(collector, "invoke_agent general"))
          .extracting(TracedSpan::traceId)
          .containsExactly(TRACE, OTHER_TRACE);
    }
  }

  @Test
  void webhookSaysWhereInTheTraceItComesFrom() throws Exception {
    open.countDown();
    try (var collector = SpanCollector.start();
        var receiver = new WebhookReceiver();
        var endpoint = StubEndpoint.start(new OpenAiStub(), this::answer);
        var service = Service.start(home, environment(collector, endpoint))) {
      var callback = Map.of("url", receiver.url());
      var parent = open(service, Map.of("kind", "external", "callback", callback));
      submit(service, parent, TRACE);
      var post = receiver.awaitPosts(1).getFirst();
      await().atMost(PATIENCE).until(() -> named(collector, "deliver").size() == 1);

      var request = one(collector, "POST /v1/tasks");
      var delivery = one(collector, "deliver");
      assertThat(delivery.parent()).isEqualTo(request.id());
      assertThat(delivery.attributes()).containsEntry("errand.delivery.target", "webhook");
      assertThat(post.getHeader("traceparent"))
          .isEqualTo("00-%s-%s-01".formatted(TRACE, delivery.id()));
      assertThat(post.getBodyAsString())
          .contains("\"traceparent\":\"00-%s-%s-01\"".formatted(TRACE, request.id()));
    }
  }

  private static Map<String, String> environment(SpanCollector collector, StubEndpoint endpoint) {
    var environment = new HashMap<>(collector.with(endpoint.environment()));
    environment.put("ERRAND_WEBHOOKS_ALLOW_PRIVATE", "true");
    return environment;
  }

  @Test
  void faultOfAModelIsTheErrorOfItsSpanAndOfTheRun() throws Exception {
    try (var collector = SpanCollector.start();
        var endpoint =
            StubEndpoint.start(
                new OpenAiStub(),
                asked -> {
                  throw new StubEndpoint.Refused(503);
                });
        var service = Service.start(home, collector.with(fewRetries(endpoint)))) {
      var session = open(service, Map.of());
      say(service, session, "Try.", TRACE);
      await().atMost(PATIENCE).until(() -> named(collector, "invoke_agent primary").size() == 1);

      assertThat(named(collector, "chat gpt-test"))
          .hasSize(2)
          .allSatisfy(chat ->
              assertThat(chat.attributes()).containsEntry("error.type", "model_unavailable"));
      assertThat(one(collector, "invoke_agent primary").attributes())
          .containsEntry("error.type", "model_unavailable");
    }
  }

  private static Map<String, String> fewRetries(StubEndpoint endpoint) {
    var environment = new HashMap<>(endpoint.environment());
    environment.put("ERRAND_MODEL_RETRY_ATTEMPTS", "2");
    environment.put("ERRAND_MODEL_RETRY_FIRST_DELAY", "10ms");
    return environment;
  }

  @Test
  void whatIsNoTraceparentBeginsATraceOfItsOwn() throws Exception {
    open.countDown();
    try (var collector = SpanCollector.start();
        var endpoint = StubEndpoint.start(new OpenAiStub(), this::answer);
        var service = Service.start(home, collector.with(endpoint.environment()))) {
      var session = open(service, Map.of());
      for (var nonsense :
          List.of(
              "nonsense",
              "00-" + "0".repeat(32) + "-" + CALLER + "-01",
              "ff-" + TRACE + "-" + CALLER + "-01",
              "00-" + TRACE + "-" + CALLER + "-01" + "x".repeat(5000))) {
        service.post(
            "/v1/sessions/" + session + "/messages",
            Map.of("text", "Hello."),
            202,
            "traceparent",
            nonsense);
        Rest.await(service, session);
      }
      await().atMost(PATIENCE).until(() -> named(collector, "invoke_agent primary").size() == 4);

      assertThat(collector.trace(TRACE)).isEmpty();
      assertThat(named(collector, "POST /v1/sessions/{id}/messages"))
          .hasSize(4)
          .allSatisfy(span -> assertThat(span.parent()).isEmpty());
    }
  }

  @Test
  void withoutACollectorNothingIsTraced() throws Exception {
    open.countDown();
    try (var endpoint = StubEndpoint.start(new OpenAiStub(), this::answer);
        var service = Service.start(home, endpoint.environment())) {
      var parent = open(service, Map.of());
      submit(service, parent, TRACE);
      Rest.await(service, parent);

      assertThat(endpoint.headers("traceparent")).isEmpty();
      assertThat(traceParents(service)).isEmpty();
      assertThat(service.logged()).noneMatch(line -> line.contains("Failed to export"));
    }
  }

  @Test
  void collectorThatIsAwayCostsAWarningNowAndThen() throws Exception {
    open.countDown();
    try (var endpoint = StubEndpoint.start(new OpenAiStub(), this::answer);
        var service = Service.start(home, withCollectorAway(endpoint))) {
      var parent = open(service, Map.of());
      for (int round = 0; round < 20; round++) {
        submit(service, parent, TRACE);
        Rest.await(service, parent);
      }
      await().atMost(PATIENCE).until(() -> !complaints(service).isEmpty());
      service.stop();

      assertThat(complaints(service)).hasSizeBetween(1, 12);
    }
  }

  private static Map<String, String> withCollectorAway(StubEndpoint endpoint) {
    var environment = new HashMap<>(endpoint.environment());
    environment.put("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1");
    environment.put("QUARKUS_OTEL_BSP_SCHEDULE_DELAY", "50ms");
    return environment;
  }

  private static List<String> complaints(Service service) throws IOException {
    return service.logged().stream().filter(line -> line.contains("Failed to export")).toList();
  }

  private static List<String> traceParents(Service service) throws IOException {
    return service
        .database()
        .withHandle(handle ->
            handle
                .createQuery(
                    """
                    select trace_parent from task where trace_parent is not null
                    union all select trace_parent from session where trace_parent is not null
                    union all select trace_parent from inbox where trace_parent is not null
                    """)
                .mapTo(String.class)
                .list());
  }

  private static String open(Service service, Map<String, ?> body) {
    return service.post("/v1/sessions", body, 201).get("id").asText();
  }

  private static JsonNode submit(Service service, String parent, String trace) {
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
    return service.post("/v1/tasks", task, 202, "traceparent", traceParent(trace));
  }

  private static void say(Service service, String session, String text, String trace) {
    service.post(
        "/v1/sessions/" + session + "/messages",
        Map.of("text", text),
        202,
        "traceparent",
        traceParent(trace));
  }

  private static String traceParent(String trace) {
    return "00-" + trace + "-" + CALLER + "-01";
  }

  private static List<TracedSpan> named(SpanCollector collector, String name) {
    return collector.spans().stream().filter(span -> span.name().equals(name)).toList();
  }

  private static TracedSpan one(SpanCollector collector, String name) {
    assertThat(named(collector, name)).hasSize(1);
    return named(collector, name).getFirst();
  }

  /** A line a span: its name and its parent's. */
  private static List<String> tree(List<TracedSpan> spans) {
    var names = spans.stream().collect(Collectors.toMap(TracedSpan::id, TracedSpan::name));
    names.put(CALLER, "caller");
    return spans.stream()
        .map(span -> span.name() + " < " + names.getOrDefault(span.parent(), "nobody"))
        .toList();
  }

  /** Whoever is asked to delegate or to wait does so; children list the files and then say so. */
  private Answer answer(Asked asked) throws InterruptedException {
    return switch (asked.prompt()) {
      case "Delegate." ->
          asked.isFirst() ? Answer.calls(Answer.task("SECRET prompt", false)) : says("It came.");
      case "SECRET prompt" ->
          asked.isFirst() ? Answer.calls(Answer.call("list", Map.of())) : says("SECRET result");
      case "Wait." -> says("I waited.");
      default -> Answer.says("I see.");
    };
  }

  private Answer says(String text) throws InterruptedException {
    open.await();
    return Answer.says(text);
  }
}
