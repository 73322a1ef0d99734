package dev.errand.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.errand.kit.OpenAiStub;
import dev.errand.kit.Ports;
import dev.errand.kit.Prometheus;
import dev.errand.kit.Service;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.ModelCall;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A real Prometheus scrapes the packaged service under load. */
class MonitoringIT {

  private static final int SUCCEED = 30;
  private static final int FAIL = 10;

  /** Twice, because a series has no rate before its second sample. */
  private static final int CONVERSATIONS = 2;

  private static final double RATIO =
      (SUCCEED + CONVERSATIONS) / (double) (SUCCEED + FAIL + CONVERSATIONS);
  private static final String SECRET = "confidential text";
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  @TempDir static Path home;

  private static StubEndpoint endpoint;
  private static Service service;
  private static int managementPort;
  private static Prometheus prometheus;

  @BeforeAll
  static void work() throws Exception {
    endpoint = StubEndpoint.start(new OpenAiStub(), MonitoringIT::answer);
    var environment = new HashMap<>(endpoint.environment());
    environment.put("ERRAND_LOG_JSON", "true");
    environment.put("ERRAND_MODEL_RETRY_FIRST_DELAY", "10ms");
    environment.put("ERRAND_TASK_RETRY_FIRST_DELAY", "10ms");
    managementPort = Ports.free();
    environment.put("ERRAND_MANAGEMENT_PORT", Integer.toString(managementPort));
    var prices = home.resolve("prices.yaml");
    Files.writeString(prices, "\"openai:*\": {input: 1, output: 4}\n");
    environment.put("ERRAND_PRICES_FILE", prices.toString());
    service = Service.start(home.resolve("service"), environment);
    prometheus = Prometheus.start(home, managementPort);
    converse();
    awaitValue("sum(errand_resume_seconds_count)", 1);
    submit();
    converse();
    awaitValue("sum(errand_tasks_ended_total)", SUCCEED + FAIL + CONVERSATIONS);
    awaitValue("sum(errand_resume_seconds_count)", CONVERSATIONS);
  }

  private static void awaitValue(String expression, double expected) {
    await()
        .atMost(TIMEOUT)
        .untilAsserted(() -> assertThat(prometheus.value(expression)).isEqualTo(expected));
  }

  @AfterAll
  static void stop() throws Exception {
    if (prometheus != null) {
      prometheus.close();
    }
    service.close();
    endpoint.close();
  }

  @Test
  void recordedSuccessRateIsCorrect() {
    await()
        .atMost(TIMEOUT)
        .untilAsserted(() -> {
          var rate = "agent:errand_task_success:ratio_rate5m{agent=\"general\"}";
          assertThat(prometheus.value(rate)).isEqualTo(RATIO, within(0.001));
        });
    var stats = service.get("/v1/stats");
    assertThat(stats.at("/success_rate/5m").asDouble())
        .as(stats.toString())
        .isEqualTo(RATIO, within(0.001));
  }

  @Test
  void everyPanelHasData() throws IOException {
    assertThat(Dashboards.queries())
        .hasSizeGreaterThan(50)
        .allSatisfy(query ->
            await()
                .atMost(TIMEOUT)
                .untilAsserted(() ->
                    assertThat(prometheus.query(query.selected()))
                        .as("%s", query)
                        .anyMatch(series -> !series.get("value").get(1).asText().equals("NaN"))));
  }

  @Test
  void everyRuleCanBeEvaluated() {
    await()
        .atMost(TIMEOUT)
        .untilAsserted(() -> {
          for (var group : prometheus.ruleGroups()) {
            for (var rule : group.get("rules")) {
              assertThat(rule.get("health").asText()).as(rule.toString()).isEqualTo("ok");
            }
          }
        });
  }

  /** Every exported metric has a row in the reference. */
  @Test
  void everyMetricIsDocumented() throws IOException {
    var exported = new TreeSet<String>();
    for (var line : service.text("/q/metrics").split("\n")) {
      if (line.startsWith("errand_")) {
        exported.add(line.replaceFirst("[{ ].*", "").replaceFirst("_(bucket|count|sum|max)$", ""));
      }
    }
    assertThat(exported).isSubsetOf(Pages.metrics());
  }

  @Test
  void probesUseExistingPathsAndPorts() throws IOException {
    var container = Manifests.container();
    for (var probe : List.of("startupProbe", "livenessProbe", "readinessProbe")) {
      var path = container.at("/" + probe + "/httpGet/path").asText();
      assertThat(service.get(path).get("status").asText()).as(path).isEqualTo("UP");
      assertThat(container.at("/" + probe + "/httpGet/port").asText())
          .isEqualTo(container.at("/ports/1/name").asText());
    }
    var config = Manifests.one(Manifests.written(), "ConfigMap", "errand").get("data");
    assertThat(container.at("/ports/0/containerPort").asText())
        .isEqualTo(config.get("ERRAND_PORT").asText());
    assertThat(container.at("/ports/1/containerPort").asText())
        .isEqualTo(config.get("ERRAND_MANAGEMENT_PORT").asText());
  }

  @ParameterizedTest
  @ValueSource(strings = {"/q/metrics", "/q/health/ready", "/q//metrics", "/q/%6detrics"})
  void theApiPortServesNeitherHealthNorMetrics(String path) throws Exception {
    assertThat(answer(service.port(), path)).isEqualTo(404);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/v1/stats", "/q/openapi", "/", "//v1/stats", "/q/metrics/../../v1/stats"})
  void theManagementPortServesNothingElse(String path) throws Exception {
    assertThat(answer(managementPort, path)).isEqualTo(404);
  }

  private static int answer(int port, String path) throws Exception {
    var uri = URI.create("http://127.0.0.1:" + port + path);
    try (var http = HttpClient.newHttpClient()) {
      return http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.discarding()).statusCode();
    }
  }

  /**
   * Log lines can be searched by session, task and attempt, and contain no conversation text or
   * keys.
   */
  @Test
  void logLinesAreJsonWithTheIdsOfTheirRunAndWithoutSecrets() throws IOException {
    var lines = new ArrayList<JsonNode>();
    for (var line : service.logged()) {
      if (line.startsWith("{")) {
        lines.add(JSON.readTree(line));
      }
    }
    assertThat(lines)
        .filteredOn(line -> line.get("message").asText().matches("Task task_\\w+ ends .*"))
        .hasSizeGreaterThanOrEqualTo(SUCCEED + FAIL)
        .allSatisfy(line -> {
          assertThat(line.at("/mdc/session").asText()).startsWith("ses_");
          assertThat(line.at("/mdc/task").asText()).startsWith("task_");
          assertThat(line.at("/mdc/attempt").asText()).containsPattern("[1-3]");
        });
    assertThat(service.logged())
        .noneMatch(line -> line.contains(SECRET) || line.contains("sk-test"));
  }

  /** Labels with unbounded values would overload Prometheus. */
  @Test
  void numberOfSeriesIsIndependentOfTheLoad() {
    assertThat(prometheus.value("count({__name__=~\"errand_.*\"})")).isLessThan(600);
    assertThat(prometheus.query("{__name__=~\"errand_.*\"}").toString())
        .doesNotContain("ses_", "task_0", "\"tenant\":");
  }

  /** Submits tasks of an external parent; most succeed, some fail permanently. */
  private static void submit() {
    var limits = Map.of("max_delegations", SUCCEED + FAIL, "max_background_tasks", SUCCEED + FAIL);
    var parent = open(Map.of("kind", "external", "limits", limits));
    IntStream.range(0, SUCCEED).forEach(number -> delegate(parent, SECRET + number));
    IntStream.range(0, FAIL).forEach(number -> delegate(parent, "Fail, " + SECRET + number));
  }

  private static void delegate(String parent, String prompt) {
    service.post(
        "/v1/tasks",
        Map.of(
            "parent_session_id",
            parent,
            "description",
            "a task",
            "prompt",
            prompt,
            "background",
            true),
        202);
  }

  /** Sends a message to a hosted parent, which delegates a task and gets a notice. */
  private static void converse() {
    var session = open(Map.of());
    service.post("/v1/sessions/" + session + "/messages", Map.of("text", "Delegate."), 202);
  }

  private static String open(Map<String, ?> body) {
    return service.post("/v1/sessions", body, 201).get("id").asText();
  }

  private static Answer answer(ModelCall call) {
    if (call.prompt().startsWith("Fail")) {
      throw new IllegalStateException("no answer to this");
    }
    if (!call.isFirst()) {
      return Answer.says("Done, " + SECRET);
    }
    return Answer.calls(
        switch (call.prompt()) {
          case "Delegate." -> Answer.task("Look.", true);
          case "Look." -> Answer.call("read", Map.of("file_path", "missing"));
          default -> Answer.call("list", Map.of());
        });
  }
}
