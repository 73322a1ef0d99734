package dev.errand.story;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.hasKey;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.nullValue;

import dev.errand.conversation.Cost;
import dev.errand.conversation.Usage;
import dev.errand.kit.Http;
import dev.errand.kit.Script;
import dev.errand.kit.Script.Call;
import dev.errand.kit.ScriptedModel;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.kit.WebhookReceiver;
import dev.errand.task.StopReason;
import dev.errand.task.TaskState;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.math.BigDecimal;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The budgets of a whole tree, in tokens and in money. */
@QuarkusTest
class BudgetsDbTest implements Story {

  private static final long ONE_TURN = Script.USAGE.inputTokens() + Script.USAGE.outputTokens();

  /** What a turn with the usual usage costs, by the price list of the tests. */
  private static final BigDecimal ONE_PRICE = new BigDecimal("0.00005");

  private static final String UNPRICED = ScriptedModel.OneAtATime.NAME;

  @Inject TaskKit kit;

  @Test
  void taskEndsWithItsLastTextWhenTheTokensAreUsedUp() {
    kit.child(
        "dig",
        model -> model.saysAndCalls("half of it", Call.of("list", Map.of())).says("too much"));
    var parent = kit.limitedSession(Map.of("max_tokens", ONE_TURN));

    var task = kit.awaitEnd(kit.submit(parent, "dig"));
    kit.awaitRest(parent);

    var ending = task.outcome().orElseThrow();
    assertThat(ending.state()).isEqualTo(TaskState.FAILED);
    assertThat(ending.stopReason()).isEqualTo(StopReason.BUDGET);
    assertThat(ending.result()).isEqualTo("half of it");
    assertThat(ending.error())
        .satisfies(
            error -> assertThat(error.code()).isEqualTo("budget_exhausted"),
            error ->
                assertThat(error.message()).contains(ONE_TURN + " of " + ONE_TURN + " tokens"));
    assertThat(task.attempts()).isEqualTo(1);
    assertThat(kit.transcript(parent).getFirst().text()).contains("budget_exhausted", "half of it");
  }

  @Test
  void callsWhoseUsageIsNotReportedAreEstimated() {
    kit.child("dig", model -> model.calls(Usage.NONE, Call.of("list", Map.of())).says("too much"));
    var parent = kit.limitedSession(Map.of("max_tokens", 100, "max_cost", 1));

    var task = kit.awaitEnd(kit.submit(parent, "dig"));

    assertThat(task.outcome().orElseThrow().stopReason()).isEqualTo(StopReason.BUDGET);
    // The characters of "list" and "{}", and at least the system prompt.
    assertThat(task.usage().outputTokens()).isEqualTo(2);
    assertThat(task.usage().inputTokens()).isBetween(100L, 20_000L);
    assertThat(task.usage().cost())
        .isEqualTo(new Cost(2 * task.usage().inputTokens() + 10 * task.usage().outputTokens()));
  }

  @Test
  void inputFromTheCacheOfTheProviderIsCountedSeparately() {
    var cached = new Usage(1_010, 1_000, 3);
    kit.child(
        "dig",
        model ->
            model
                .calls(cached, Call.of("list", Map.of()))
                .calls(cached, Call.of("list", Map.of())));
    var parent = kit.limitedSession(Map.of("max_tokens", 2 * ONE_TURN));

    var task = kit.awaitEnd(kit.submit(parent, "dig"));

    assertThat(task.usage().cachedInputTokens()).isEqualTo(2_000);
    assertThat(task.outcome().orElseThrow().error())
        .satisfies(error ->
            assertThat(error.message())
                .contains("26 of 26 tokens", "and 2000 from caches, which do not count"));
  }

  @Test
  void answerThatReachesTheBudgetCompletesTheTask() {
    kit.child("dig", model -> model.says("gold"));

    var task = kit.awaitEnd(kit.submit(kit.limitedSession(Map.of("max_tokens", ONE_TURN)), "dig"));

    assertThat(task.state()).isEqualTo(TaskState.COMPLETED);
  }

  @Test
  void childrenUseTheTokensOfTheirRootAndTheRootReportsIt() {
    kit.child("dig", model -> model.says("gold"));
    var parent =
        kit.session(
            Map.of("limits", Map.of("max_tokens", 2 * ONE_TURN)),
            model -> model.callsTask("dig").says("not reached"));

    kit.say(parent, "Dig.");
    kit.awaitRest(parent);

    assertThat(kit.outline(parent)).containsExactly("user", "assistant: task", "tool", "system");
    assertThat(kit.transcript(parent).getLast().text()).contains("budget_exhausted");
    assertThat(kit.requests(parent)).hasSize(1);
  }

  @Test
  void budgetOfZeroAllowsNoModelCall() {
    var parent =
        kit.session(Map.of("limits", Map.of("max_tokens", 0)), model -> model.says("not reached"));

    kit.say(parent, "Hello?");
    kit.awaitRest(parent);

    assertThat(kit.requests(parent)).isEmpty();
  }

  @Test
  void taskEndsWithItsLastTextWhenTheMoneyIsUsedUp() {
    kit.child(
        "dig",
        model ->
            model
                .saysAndCalls("half of it", Call.of("list", Map.of()))
                .saysAndCalls("more", Call.of("list", Map.of()))
                .says("too much"));
    var parent = kit.limitedSession(Map.of("max_cost", new BigDecimal("0.000051")));

    var task = kit.awaitEnd(kit.submit(parent, "dig"));

    var ending = task.outcome().orElseThrow();
    assertThat(ending.stopReason()).isEqualTo(StopReason.BUDGET);
    assertThat(ending.result()).isEqualTo("more");
    assertThat(ending.error())
        .satisfies(error ->
            assertThat(error.message())
                .contains("the money budget is used up: 0.0001 of 0.000051"));
    assertThat(task.usage().cost()).isEqualTo(new Cost(100));
  }

  @Test
  void costOfTurnsAndSummariesIsShownAtMessagesTasksAndSessions() {
    kit.child(
        "dig",
        model -> model.calls(new Usage(1_000, 900, 7), Call.of("list", Map.of())).says("gold"));
    var parent = kit.limitedSession(Map.of("max_cost", 1));

    var task = kit.awaitEnd(kit.submit(parent, "dig"));
    kit.awaitRest(parent);

    // 100 × 2 + 900 × 0.25 + 7 × 10 = 495 millionths, and 50 for the answer
    given().get("/v1/tasks/{id}", task.id().toString()).then().body("usage.cost", is(0.000545));
    given()
        .get("/v1/sessions/{id}/messages", task.child().toString())
        .then()
        .body("items.findAll { it.role == 'assistant' }.usage.cost", contains(0.000495, 0.00005))
        .body("items[0].usage", nullValue());
    given()
        .get("/v1/sessions/{id}", task.child().toString())
        .then()
        .body("usage.cost", is(0.000545))
        .body("limits.max_cost", is(1));
    given().get("/v1/sessions/{id}", parent.toString()).then().body("usage.cost", nullValue());
    assertThat(
            kit.row(
                "select cost from tree where root_id = '%s'".formatted(parent.value()), Long.class))
        .isEqualTo(545);
  }

  @Test
  void costIsWrittenWithoutAnExponent() throws Exception {
    kit.child("dig", model -> model.says("gold"));
    try (var receiver = new WebhookReceiver()) {
      var parent = kit.limitedSession(Map.of("max_cost", 10));
      var callback = Map.of("url", receiver.url());

      var task = kit.awaitEnd(kit.submit(parent, "dig", Map.of("callback", callback)));

      assertThat(
              List.of(
                  receiver.awaitPosts(1).getFirst().body(),
                  firstEvent("/v1/sessions/" + task.child() + "/events", "\"cost\""),
                  given().get("/v1/tasks/{id}", task.id().toString()).asString(),
                  given().get("/v1/sessions/{id}", task.child().toString()).asString(),
                  given().get("/v1/sessions/{id}/messages", task.child().toString()).asString()))
          .allSatisfy(text ->
              assertThat(text)
                  .contains("\"cost\":0.00005")
                  .doesNotContainPattern("cost\":[0-9.]*E"));
      assertThat(given().get("/v1/sessions/{id}", parent.toString()).asString())
          .containsPattern("\"max_cost\":10[,}]");
    }
  }

  /** The first line of a stream of events with this text. */
  private String firstEvent(String path, String text) throws Exception {
    var http = HttpClient.newHttpClient();
    var request =
        HttpRequest.newBuilder(Http.uri(path)).header("Accept", "text/event-stream").build();
    try (var lines = http.send(request, BodyHandlers.ofLines()).body()) {
      return lines
          .filter(line -> line.startsWith("data:") && line.contains(text))
          .findFirst()
          .orElseThrow();
    } finally {
      http.shutdownNow();
    }
  }

  @Test
  void modelWithoutAPriceIsRefusedWhereMoneyIsLimited() {
    var parent = kit.limitedSession(Map.of("max_cost", ONE_PRICE));

    kit.post(
            Map.of(
                "parent_session_id",
                parent.toString(),
                "description",
                "a task",
                "prompt",
                "dig",
                "model",
                UNPRICED))
        .then()
        .statusCode(400)
        .body("errors[0].field", is("model"))
        .body("errors[0].message", containsString("ERRAND_PRICES_FILE"));
    given()
        .contentType("application/json")
        .body(Map.of("model", UNPRICED, "limits", Map.of("max_cost", 2)))
        .post("/v1/sessions")
        .then()
        .statusCode(400)
        .body("errors[0].field", is("model"))
        .body("errors[0].message", containsString(UNPRICED + " has no price"));
    assertThat(kit.tasksOf(parent)).isEmpty();
  }

  @Test
  void modelWithoutAPriceCostsNothingThatIsKnown() {
    kit.child("dig", model -> model.says("gold"));

    var task = kit.awaitEnd(kit.submit(kit.externalSession(), "dig", Map.of("model", UNPRICED)));

    given()
        .get("/v1/tasks/{id}", task.id().toString())
        .then()
        .body("usage.output_tokens", is(3))
        .body("usage", not(hasKey("cost")));
  }
}
