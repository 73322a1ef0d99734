package dev.errand.api;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.errand.api.SampleRequests.Sample;
import dev.errand.conversation.PauseId;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.kit.Http;
import dev.errand.kit.Script;
import dev.errand.kit.TaskKit;
import dev.errand.kit.WebhookReceiver;
import dev.errand.outbox.DeliveryState;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The service does what its OpenAPI document says. DELETE refuses no id, because deleting is
 * idempotent.
 */
@QuarkusTest
class OpenApiContractDbTest {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final String UNROUTED = "This address does not exist.";

  @Inject TaskKit kit;

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final WebhookReceiver receiver = new WebhookReceiver();

  @BeforeEach
  void begin() {
    kit.begin();
  }

  @AfterEach
  void close() {
    receiver.close();
    http.shutdownNow();
  }

  @Test
  void everyRequestIsAnsweredAsDocumented() throws Exception {
    var document = document();
    kit.children(_ -> new Script().saysForever("found"));
    var session = kit.session(model -> model.saysForever("fine"));
    kit.say(session, "hello");
    var external = kit.externalSession();
    var task = deadTask();
    var requests = new SampleRequests(document, path -> id(path, session, external, task));
    var faults = new ArrayList<String>();
    var sent = 0;

    for (var operation : document.operations()) {
      for (var sample : requests.of(operation)) {
        faults.addAll(faults(document, sample));
        if (operation.path().equals("/v1/pauses")) {
          endPauses();
        }
        sent++;
      }
    }

    assertThat(faults).isEmpty();
    assertThat(sent).isBetween(200, 1000);
  }

  @Test
  void answerThatBreaksItsSchemaIsFound() throws Exception {
    var document = document();
    var schema = JSON.createObjectNode().put("$ref", "#/components/schemas/AgentsView");

    assertThat(document.problems(schema, JSON.readTree("{\"items\": [{\"name\": 7}]}")))
        .hasSizeGreaterThan(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'scope': 'agent', 'reason': 'x', 'name': 'explore'}     | 201",
        "{'scope': 'agent', 'reason': 'x'}                        | 400",
        "{'scope': 'agent', 'reason': 'x', 'name': null}          | 400",
        "{'scope': 'provider', 'reason': 'x'}                     | 400",
        "{'scope': 'tenant', 'reason': 'x'}                       | 400",
        "{'scope': 'all', 'reason': 'x'}                          | 201",
        "{'scope': 'all', 'reason': 'x', 'name': null}            | 201"
      })
  void pauseNeedsANameUnlessItIsOfAll(String body, int status) throws Exception {
    var asked = JSON.readTree(body.replace('\'', '"'));
    var schema = JSON.createObjectNode().put("$ref", "#/components/schemas/NewPause");

    given()
        .contentType("application/json")
        .body(asked.toString())
        .post("/v1/pauses")
        .then()
        .statusCode(status);
    endPauses();

    assertThat(document().problems(schema, asked).isEmpty()).isEqualTo(status == 201);
  }

  private static OpenApiDocument document() throws IOException {
    return new OpenApiDocument(JSON.readTree(given().get("/q/openapi?format=json").asString()));
  }

  /** So that the other requests find a service that runs what they ask for. */
  private static void endPauses() {
    given()
        .get("/v1/pauses")
        .<List<String>>path("items.id")
        .forEach(pause -> given().delete("/v1/pauses/{id}", pause));
  }

  /** What differs from the document: a status, a content type, or a body. */
  private List<String> faults(OpenApiDocument document, Sample sample) throws Exception {
    var answer = send(sample);
    var status = answer.statusCode();
    var documented = sample.operation().response(status);
    if (documented.isEmpty() || status >= 500) {
      return List.of(sample + ": status " + status + " is not documented " + body(answer));
    }
    var isDelete = sample.operation().method().equals("delete");
    if (!sample.allowed() && !isDelete && status != 400 && status != 404) {
      return List.of(sample + ": is not allowed, but answered with " + status);
    }
    if (sample.allowed() && status == 400 && !sample.query().isEmpty()) {
      return List.of(sample + ": is allowed, but refused with " + body(answer));
    }
    return bodyFaults(document, documented.get(), answer).stream()
        .map(fault -> sample + ": " + status + " " + fault)
        .toList();
  }

  private static List<String> bodyFaults(
      OpenApiDocument document, JsonNode documented, HttpResponse<InputStream> answer)
      throws IOException {
    var type = answer.headers().firstValue("Content-Type").orElse("").split(";")[0];
    if (!documented.has("content")) {
      return type.isEmpty() ? List.of() : List.of("has an undocumented body");
    }
    if (!documented.get("content").has(type)) {
      return List.of("has the content type " + type);
    }
    if (type.equals("text/event-stream")) {
      answer.body().close();
      return List.of();
    }
    var schema = documented.get("content").get(type).get("schema");
    var read = JSON.readTree(body(answer));
    return read.path("detail").asText().equals(UNROUTED)
        ? List.of("no resource has this address")
        : document.problems(schema, read);
  }

  private static String body(HttpResponse<InputStream> answer) throws IOException {
    try (var body = answer.body()) {
      return new String(body.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private HttpResponse<InputStream> send(Sample sample) throws Exception {
    var body =
        sample.body() == null
            ? BodyPublishers.noBody()
            : BodyPublishers.ofString(sample.body().toString());
    var request =
        HttpRequest.newBuilder(Http.uri(sample.target()))
            .method(sample.operation().method().toUpperCase(Locale.ROOT), body)
            .timeout(Duration.ofSeconds(120));
    sample.headers().forEach(request::header);
    if (sample.body() != null) {
      request.header("Content-Type", "application/json");
    }
    return http.send(request.build(), BodyHandlers.ofInputStream());
  }

  /** An existing id for the parameter of a path; a session to be deleted is a new one. */
  private String id(String path, SessionId session, SessionId external, TaskId task) {
    if (path.startsWith("/v1/tasks/")) {
      return task.toString();
    }
    if (path.startsWith("/v1/deliveries/")) {
      return given().get("/v1/deliveries?task_id={task}", task.toString()).path("items[0].id");
    }
    if (path.startsWith("/v1/tenants/")) {
      return "contract";
    }
    if (path.startsWith("/v1/pauses/")) {
      return PauseId.next().toString();
    }
    if (path.startsWith("/v1/agents/")) {
      return "explore";
    }
    if (path.startsWith("/v1/sessions/{id}/tool-calls")) {
      return external.toString();
    }
    return path.equals("/v1/sessions/{id}") ? kit.externalSession().toString() : session.toString();
  }

  /** A task that has ended and whose delivery to the callback of its parent is dead. */
  private TaskId deadTask() {
    receiver.answers(WebhookReceiver.status(500));
    var parent = kit.externalSession(Map.of("callback", Map.of("url", receiver.url())));
    var task = kit.submit(parent, "dig");
    await().until(() -> kit.look(task).delivery().filter(DeliveryState.DEAD::equals).isPresent());
    return task;
  }
}
