package dev.errand.story;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.conversation.SessionId;
import dev.errand.kit.Script;
import dev.errand.kit.ScriptedModel;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.model.ModelException.Code;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Fallback models, which the configuration of the tests names. */
@QuarkusTest
class FallbackDbTest implements Story {

  private static final String OVERLOADED = "scripted:overloaded";
  private static final String UNTRUSTED = "scripted:untrusted";
  private static final String BROKE = "scripted:broke";
  private static final String GONE = "scripted:gone";
  private static final String NONE = "scripted:none";
  private static final String SPARE = "scripted:spare";
  private static final String WIDE = "scripted:wide";
  private static final String NARROW = "scripted:narrow";
  private static final String FULL = "scripted:full";
  private static final String FIRST = ScriptedModel.OneAtATime.NAME;

  @Inject TaskKit kit;
  @Inject Jdbi jdbi;

  @Test
  void overloadedModelIsReplacedAtOnceAndTriedAgainLater() {
    var overloaded =
        kit.model(OVERLOADED, model -> model.fails(Code.MODEL_RATE_LIMITED, 3).says("back"));
    var spare = kit.model(SPARE, model -> model.says("from the spare"));
    var root = kit.sessionOf(OVERLOADED);

    say(root, "One.");

    assertThat(overloaded.requests()).hasSize(3);
    assertThat(spare.requests()).hasSize(1);
    assertThat(answers(root)).containsExactly(SPARE);
    assertThat(calls(root))
        .contains("model.ended scripted:overloaded model_rate_limited", "model.started " + SPARE);

    await("the model is tried again")
        .until(() -> {
          spare.says("not yet");
          say(root, "And now?");
          return answers(root).getLast().equals(OVERLOADED);
        });
    assertThat(kit.transcript(root).getLast().text()).isEqualTo("back");
  }

  @ParameterizedTest
  @CsvSource({UNTRUSTED + ", MODEL_TLS_FAILED", BROKE + ", MODEL_QUOTA_EXCEEDED"})
  void modelThatIsNotWorthWaitingForIsReplacedAtOnce(String name, Code code) {
    var model = kit.model(name, script -> script.failsForever(code));
    kit.model(SPARE, script -> script.saysForever("from the spare"));
    var root = kit.sessionOf(name);

    say(root, "Hello?");

    assertThat(model.requests()).hasSize(1);
    assertThat(answers(root)).containsExactly(SPARE);
    assertThat(calls(root)).contains("model.ended %s %s".formatted(name, code.word()));

    say(root, "And now?");

    assertThat(model.requests()).hasSizeLessThanOrEqualTo(2);
    assertThat(answers(root)).containsExactly(SPARE, SPARE);
  }

  @Test
  void modelThatIsAwayIsReplacedAfterAWhileByTheFirstFallbackThatAnswers() {
    var gone = kit.model(GONE, model -> model.failsForever(Code.MODEL_UNREACHABLE));
    kit.model(NONE, model -> model.failsForever(Code.MODEL_UNAUTHORIZED));
    kit.model(SPARE, model -> model.says("from the spare"));
    var root = kit.sessionOf(GONE);

    say(root, "Hello?");

    assertThat(gone.requests()).hasSizeGreaterThan(1);
    assertThat(answers(root)).containsExactly(SPARE);
    assertThat(calls(root))
        .contains(
            "model.ended scripted:gone model_unreachable",
            "model.ended scripted:none model_unauthorized");
  }

  @Test
  void conversationIsShortenedForAFallbackWithASmallerWindow() {
    var wide =
        kit.model(
            WIDE,
            model -> {
              for (int turn = 0; turn < 8; turn++) {
                model.says("a".repeat(4_000));
              }
              model.failsForever(Code.MODEL_RATE_LIMITED);
            });
    var narrow =
        kit.model(
            NARROW,
            model ->
                model
                    .summarises("what was said")
                    .summarises("and more")
                    .summarises("and the rest")
                    .saysForever("from the narrow one"));
    var root = kit.sessionOf(WIDE);
    for (int turn = 0; turn < 8; turn++) {
      say(root, "More.");
    }
    assertThat(wide.summaryRequests()).isEmpty();

    say(root, "And now?");

    assertThat(answers(root).getLast()).isEqualTo(NARROW);
    assertThat(narrow.summaryRequests()).hasSizeBetween(2, 3);
    assertThat(narrow.requests())
        .singleElement()
        .satisfies(request -> assertThat(Script.chars(request)).isLessThan(4 * 8_000));
  }

  /** Its first fallback has no price, a provider of its own, and is not in the tenant's list. */
  @Test
  void fallbackThatMustNotBeCalledIsSkipped() {
    kit.model(FULL, model -> model.failsForever(Code.MODEL_RATE_LIMITED));
    var first = kit.model(ScriptedModel.NAME, model -> model.saysForever("from the first"));
    kit.model(SPARE, model -> model.saysForever("from the spare"));
    assertThat(answeredBy(Map.of())).isEqualTo(FIRST);

    assertThat(answeredBy(Map.of("limits", Map.of("max_cost", 1)))).isEqualTo(SPARE);

    var pause = pauseProvider("single");
    try {
      assertThat(answeredBy(Map.of())).isEqualTo(SPARE);
    } finally {
      given().delete("/v1/pauses/{id}", pause).then().statusCode(204);
    }

    putTenant(Map.of("models", Map.of("allowed", List.of("scripted:*"))));
    try {
      assertThat(answeredBy(Map.of())).isEqualTo(SPARE);
    } finally {
      putTenant(Map.of());
    }
    assertThat(first.requests()).hasSize(1);
    assertThat(answeredBy(Map.of())).isEqualTo(FIRST);
  }

  private String answeredBy(Map<String, ?> fields) {
    var body = new HashMap<String, Object>(fields);
    body.put("model", FULL);
    var root = kit.session(body);
    say(root, "Hello?");
    return answers(root).getLast();
  }

  private static String pauseProvider(String name) {
    return given()
        .contentType("application/json")
        .body(Map.of("scope", "provider", "name", name, "reason", "the bill"))
        .post("/v1/pauses")
        .then()
        .statusCode(201)
        .extract()
        .path("id");
  }

  private static void putTenant(Map<String, ?> body) {
    given()
        .contentType("application/json")
        .body(body)
        .put("/v1/tenants/default")
        .then()
        .statusCode(200);
  }

  private void say(SessionId root, String text) {
    kit.say(root, text);
    kit.awaitRest(root);
  }

  /** The models that gave the answers. */
  private static List<String> answers(SessionId root) {
    return given()
        .get("/v1/sessions/{id}/messages?limit=200", root.toString())
        .path("items.findAll { it.role == 'assistant' }.model");
  }

  private List<String> calls(SessionId root) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                """
                select type || ' ' || (data ->> 'model') || coalesce(' ' || (data ->> 'error'), '')
                from event where session_id = :session and type like 'model.%' order by number
                """)
            .bind("session", root.value())
            .mapTo(String.class)
            .list());
  }
}
