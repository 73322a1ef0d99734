package dev.errand.api;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.everyItem;
import static org.hamcrest.Matchers.hasKey;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.nullValue;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.kit.Gate;
import dev.errand.kit.HttpAnswer;
import dev.errand.kit.Script;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.model.ModelException.Code;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Filters, order and pages of the lists. */
@QuarkusTest
class ListsDbTest implements Story {

  @Inject TaskKit kit;

  @Test
  void tasksAreFilteredBySeveralStates() {
    var gate = new Gate();
    kit.child("wait", model -> model.at(gate).says("waited"));
    kit.child("work", model -> model.says("worked"));
    kit.child("fail", model -> model.fails(Code.MODEL_UNAUTHORIZED));
    var parent = kit.externalSession();
    var completed = kit.submit(parent, "work");
    var failed = kit.submit(parent, "fail");
    kit.awaitEnd(completed);
    kit.awaitEnd(failed);
    kit.submit(parent, "wait");
    gate.awaitArrivals(1);

    assertThat(tasks(parent, Map.of("state", "completed,failed")))
        .containsExactly(failed, completed);
    assertThat(tasks(parent, Map.of("state", "completed"))).containsExactly(completed);
    gate.open();
  }

  @Test
  void withoutAuthenticationTheAuditNamesNobodyAndHasNoRowsOfTasks() {
    kit.children(_ -> new Script().says("done"));
    var parent = kit.externalSession();
    kit.awaitEnd(kit.submit(parent, "one"));
    kit.cancel(parent);

    var rows =
        given()
            .header("Authorization", "Bearer nonsense")
            .get("/v1/audit?session_id={id}", parent.toString())
            .then()
            .statusCode(200)
            .extract();

    assertThat(rows.<List<String>>path("items.action"))
        .containsExactly("session.cancel", "session.create");
    assertThat(rows.<List<String>>path("items.subject")).containsOnly("anonymous");
  }

  @Test
  void tasksAreFilteredByTypeAndLabel() {
    kit.children(_ -> new Script().says("done"));
    var parent = kit.externalSession();
    var general = kit.submit(parent, "one", Map.of("label", "boat"));
    var explore = kit.submit(parent, "two", Map.of("subagent_type", "explore"));

    assertThat(tasks(parent, Map.of("label", "boat"))).containsExactly(general);
    assertThat(tasks(parent, Map.of("label", "boa"))).isEmpty();
    assertThat(tasks(parent, Map.of("subagent_type", "explore"))).containsExactly(explore);
  }

  @Test
  void tasksAreFoundByWordsOfTheirDescriptionAndLabel() {
    kit.children(_ -> new Script().says("done"));
    var parent = kit.externalSession();
    var flights = kit.submit(parent, "one", Map.of("label", "100%_sure"));
    var hotels = kit.submit(parent, "two");
    describe(flights, "Find cheap FLIGHTS");
    describe(hotels, "Find hotels");

    assertThat(tasks(parent, Map.of("q", "flights find"))).containsExactly(flights);
    assertThat(tasks(parent, Map.of("q", "find"))).containsExactly(hotels, flights);
    assertThat(tasks(parent, Map.of("q", "flight sure"))).containsExactly(flights);
    assertThat(tasks(parent, Map.of("q", "100%_"))).containsExactly(flights);
    assertThat(tasks(parent, Map.of("q", "hotels_"))).isEmpty();
    assertThat(tasks(parent, Map.of("q", "  "))).containsExactly(hotels, flights);
  }

  /** Java and PostgreSQL have different lower case letters for some of these, in some locales. */
  @Test
  void tasksAreFoundByTheLettersOfTheirDescription() {
    kit.children(_ -> new Script().says("done"));
    var parent = kit.externalSession();
    var task = kit.submit(parent, "one");
    describe(task, "ÄPFEL aus İZMİR");

    assertThat(tasks(parent, Map.of("q", "ÄPFEL"))).containsExactly(task);
    assertThat(tasks(parent, Map.of("q", "İZMİR AUS"))).containsExactly(task);
    assertThat(tasks(parent, Map.of("q", "Ankara"))).isEmpty();
  }

  private void describe(TaskId task, String description) {
    kit.tamper("update task set description = ? where id = ?", description, task.value());
  }

  @Test
  void tasksAreFilteredByTheTimeOfTheirCreation() {
    kit.children(_ -> new Script().says("done"));
    var parent = kit.externalSession();
    var first = kit.submit(parent, "one");
    var second = kit.submit(parent, "two");
    kit.tamper("update task set created_at = '2026-01-01T00:00:00Z' where id = ?", first.value());

    assertThat(tasks(parent, Map.of("created_before", "2026-01-01T00:00:01Z")))
        .containsExactly(first);
    assertThat(tasks(parent, Map.of("created_after", "2026-01-01T01:00:00+01:00")))
        .containsExactly(second);
    var all =
        Map.of("created_after", "0000-01-01T00:00:00Z", "created_before", "9999-12-31T23:59:59Z");
    assertThat(tasks(parent, all)).containsExactly(second, first);
  }

  @Test
  void tasksAreSortedAndPagedInBothDirections() {
    kit.children(_ -> new Script().says("done"));
    var parent = kit.externalSession();
    var tasks = Stream.of("one", "two", "three").map(prompt -> kit.submit(parent, prompt)).toList();

    assertThat(pages(parent, "created_at")).isEqualTo(tasks);
    assertThat(pages(parent, "-created_at")).isEqualTo(tasks.reversed());
  }

  @Test
  void sessionsAreFilteredByMetadata() {
    var key = "key-" + UUID.randomUUID();
    var one = kit.externalSession(Map.of("metadata", Map.of(key, "1", "team", "a b")));
    var two = kit.externalSession(Map.of("metadata", Map.of(key, "1")));
    kit.externalSession(Map.of("metadata", Map.of(key, "10")));

    assertThat(sessions(Map.of("metadata." + key, "1"))).containsExactly(two, one);
    assertThat(sessions(Map.of("metadata." + key, "1", "metadata.team", "a b")))
        .containsExactly(one);
    assertThat(sessions(Map.of("metadata." + key, ""))).isEmpty();
  }

  @Test
  void sessionsAreFoundByWordsOfTheirTitleAndByAgentKindAndState() {
    var word = "w" + UUID.randomUUID().toString().replace("-", "");
    var external = kit.externalSession(Map.of("title", "External " + word));
    var hosted = kit.session(Map.of("title", word + " hosted"), _ -> {});

    assertThat(sessions(Map.of("q", word))).containsExactly(hosted, external);
    assertThat(sessions(Map.of("q", word + " external"))).containsExactly(external);
    assertThat(sessions(Map.of("q", word, "kind", "hosted"))).containsExactly(hosted);
    assertThat(sessions(Map.of("q", word, "state", "idle,closed", "sort", "created_at")))
        .containsExactly(external, hosted);
    assertThat(sessions(Map.of("q", word, "agent", "explore"))).isEmpty();
  }

  @Test
  void listsOfSessionsLeaveOutLimits() {
    var session = kit.externalSession();

    given()
        .get("/v1/sessions")
        .then()
        .statusCode(200)
        .body("items", everyItem(not(hasKey("limits"))));
    given()
        .get("/v1/sessions/{id}", session.toString())
        .then()
        .statusCode(200)
        .body("limits.max_depth", is(5));
  }

  @Test
  void deliveriesAreFilteredBySeveralStatesAndSorted() {
    kit.children(_ -> new Script().says("done"));
    var parent = kit.externalSession();
    var first = kit.submit(parent, "one");
    var second = kit.submit(parent, "two");
    kit.awaitDelivery(first);
    kit.awaitDelivery(second);

    deliveries(parent, Map.of("state", "delivered,dead", "sort", "created_at"))
        .body("items.state", everyItem(is("delivered")))
        .body("items.size()", is(2));
    deliveries(parent, Map.of("state", "pending,dead")).body("items.size()", is(0));
    deliveries(parent, Map.of("created_before", "2026-01-01T00:00:00Z"))
        .body("items.size()", is(0));
  }

  @Test
  void aPageHasAtMostFourMebibytes() {
    var session = kit.session(model -> model.saysForever("said"));
    for (var word : List.of("one", "two", "three")) {
      kit.say(session, word);
      kit.awaitRest(session);
    }
    lengthenAnswers(session, 900_000);

    var first = messages(session, 0).body("items.seq", is(List.of(1, 2, 3, 4, 5)));
    assertThat(first.extract().asByteArray().length).isBetween(3_600_000, 4 << 20);
    messages(session, Long.parseLong(first.extract().path("next_cursor")))
        .body("items.seq", is(List.of(6)))
        .body("next_cursor", nullValue());
  }

  @Test
  void aSingleItemMayBeLargerThanAPage() {
    var session = kit.session(model -> model.saysForever("said"));
    kit.say(session, "one");
    kit.awaitRest(session);
    lengthenAnswers(session, 3_000_000);

    messages(session, 0).body("items.seq", is(List.of(1))).body("next_cursor", is("1"));
    messages(session, 1).body("items.seq", is(List.of(2))).body("next_cursor", nullValue());
  }

  /** Makes the text of each answer that many characters of two bytes. */
  private void lengthenAnswers(SessionId session, int characters) {
    kit.tamper(
        "update message set content = json_build_array(json_build_object('type', 'text', 'text',"
            + " repeat('ä', ?))) where session_id = ? and role = 'assistant'",
        characters,
        session.value());
  }

  @ParameterizedTest
  @CsvSource({
    "tasks, state, 'completed,done', must be one of pending",
    "tasks, sort, age, must be created_at or -created_at",
    "tasks, created_after, yesterday, must be an instant as in RFC 3339",
    "tasks, created_before, 2026-01-01, must be an instant as in RFC 3339",
    "tasks, created_after, +300000-01-01T00:00:00Z, must be an instant as in RFC 3339",
    "tasks, created_before, 9999-12-31T23:59:59-01:00, must be an instant as in RFC 3339",
    "sessions, created_after, -5000-01-01T00:00:00Z, must be an instant as in RFC 3339",
    "deliveries, created_before, +999999999-12-31T23:59:59-18:00, must be an instant as in RFC 3339",
    "audit, after, +300000-01-01T00:00:00Z, must be an instant as in RFC 3339",
    "audit, before, +300000-01-01T00:00:00Z, must be an instant as in RFC 3339",
    "tasks, cursor, 7, must be a task id",
    "tasks, subagent_type, xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx, 100",
    "sessions, state, asleep, must be one of idle",
    "sessions, kind, other, must be one of",
    "sessions, sort, title, must be created_at or -created_at",
    "sessions, cursor, task_1, must be a session id",
    "deliveries, state, lost, must be one of pending",
    "deliveries, limit, 201, 200",
  })
  void invalidValuesAreRefused(String list, String parameter, String value, String message) {
    given()
        .queryParam(parameter, value)
        .get("/v1/" + list)
        .then()
        .statusCode(400)
        .contentType("application/problem+json")
        .body("errors[0].field", is(parameter))
        .body("errors[0].message", containsString(message));
  }

  @Test
  void aSearchTextThatIsTooLongIsRefused() {
    given()
        .queryParam("q", "x".repeat(201))
        .get("/v1/tasks")
        .then()
        .statusCode(400)
        .body("errors[0].field", is("q"))
        .body("errors[0].message", is("must have at most 200 characters"));
  }

  @Test
  void aNulCharacterInAFilterMatchesNothing() {
    var nul = String.valueOf((char) 0);

    assertThat(sessions(Map.of("q", nul))).isEmpty();
    assertThat(sessions(Map.of("agent", nul, "metadata." + nul, nul))).isEmpty();
  }

  private List<TaskId> tasks(SessionId parent, Map<String, String> filter) {
    return given()
        .queryParam("parent_session_id", parent.toString())
        .queryParams(filter)
        .get("/v1/tasks")
        .then()
        .statusCode(200)
        .extract()
        .<List<String>>path("items.id")
        .stream()
        .map(id -> TaskId.parse(id).orElseThrow())
        .toList();
  }

  private List<TaskId> pages(SessionId parent, String sort) {
    var first = tasks(parent, Map.of("sort", sort, "limit", "2"));
    var next =
        tasks(parent, Map.of("sort", sort, "limit", "2", "cursor", first.getLast().toString()));
    return Stream.concat(first.stream(), next.stream()).toList();
  }

  private List<SessionId> sessions(Map<String, String> filter) {
    return given()
        .queryParams(filter)
        .get("/v1/sessions")
        .then()
        .statusCode(200)
        .extract()
        .<List<String>>path("items.id")
        .stream()
        .map(id -> SessionId.parse(id).orElseThrow())
        .toList();
  }

  private HttpAnswer deliveries(SessionId session, Map<String, String> filter) {
    return given()
        .queryParam("session_id", session.toString())
        .queryParams(filter)
        .get("/v1/deliveries")
        .then()
        .statusCode(200);
  }

  private HttpAnswer messages(SessionId session, long afterSeq) {
    return given()
        .queryParam("after_seq", afterSeq)
        .get("/v1/sessions/{id}/messages", session.toString())
        .then()
        .statusCode(200);
  }
}
