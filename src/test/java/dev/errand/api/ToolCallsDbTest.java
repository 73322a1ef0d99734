package dev.errand.api;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.endsWith;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.notNullValue;
import static org.hamcrest.Matchers.nullValue;
import static org.hamcrest.Matchers.startsWith;

import dev.errand.conversation.SessionId;
import dev.errand.kit.Gate;
import dev.errand.kit.HttpAnswer;
import dev.errand.kit.Script;
import dev.errand.kit.StallTool;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tool calls of agents whose loop runs elsewhere. */
@QuarkusTest
class ToolCallsDbTest implements Story {

  private static final String CALLS = "/v1/sessions/{id}/tool-calls";

  private final Gate gate = new Gate();

  @Inject TaskKit kit;
  @Inject StallTool stall;
  @TempDir Path workspace;

  @Test
  void toolThatARuleNamesIsExecutedOnceHoweverOftenItIsCalled() throws Exception {
    var session = allowing("stall");
    stall.waitAt(gate);
    try (var threads = Executors.newFixedThreadPool(3)) {
      var answers =
          IntStream.range(0, 3)
              .mapToObj(_ -> threads.submit(() -> call(session, "one", "stall", Map.of())))
              .toList();
      gate.awaitArrivals(1);
      gate.open();
      for (var answer : answers) {
        answer
            .get()
            .then()
            .statusCode(200)
            .body("call_id", is("one"), "name", is("stall"), "state", is("done"))
            .body("content", is("done"), "is_error", is(false));
      }
    }

    call(session, "one", "stall", Map.of("b", 2))
        .then()
        .statusCode(422)
        .body("errors[0].field", is("call_id"));
    assertThat(gate.passed()).isEqualTo(1);
    assertThat(events(session)).isEqualTo("tool.started, tool.ended");
    given().get("/v1/sessions/{id}", session.toString()).then().body("usage.tool_calls", is(1));
  }

  @Test
  void filesAreReadAndWrittenAsInTheLoop() throws Exception {
    Files.writeString(workspace.resolve("a.txt"), "one two");
    var session = allowing("read", "edit");
    var edit = Map.of("file_path", "a.txt", "old_string", "two", "new_string", "2");

    done(session, "1", "edit", edit)
        .body("is_error", is(true), "content", containsString("was not read in this session"));
    done(session, "2", "read", Map.of("file_path", "a.txt"))
        .body("content", containsString("one two"));
    done(session, "3", "edit", edit).body("content", is("Edited a.txt."));
    done(session, "3", "edit", edit).body("content", is("Edited a.txt."));

    assertThat(workspace.resolve("a.txt")).hasContent("one 2");
  }

  @Test
  void whatTheModelDidWrongIsAResult() {
    var secret = Map.of("permission", "read", "pattern", "secret*", "action", "deny");
    var all = Map.of("permission", "*", "pattern", "*", "action", "allow");
    var session = external(List.of(all, allow("read"), secret));

    done(session, "1", "list", Map.of())
        .body("is_error", is(true), "content", startsWith("There is no tool named 'list'."));
    done(session, "2", "no_such_tool", Map.of())
        .body("is_error", is(true))
        .body("content", startsWith("There is no tool named 'no_such_tool'. Known tools: read, "));
    done(session, "3", "read", Map.of("path", "a.txt"))
        .body("is_error", is(true), "content", startsWith("Invalid arguments for read: file_path"));
    for (var text : List.of("not JSON", "{\"file_path\": \"a\"} {}", "{\"a\": 1, \"a\": 2}")) {
      done(session, text.replaceAll("\\W", "_"), "read", text)
          .body("is_error", is(true), "content", startsWith("Invalid arguments for read: "));
    }
    done(session, "5", "read", "{\"file_path\": \"secret.txt\"}")
        .body("is_error", is(true), "content", containsString("read on secret.txt"));
  }

  @Test
  void offeredAreTheToolsForDelegatingAndThoseThatARuleNames() {
    var all = Map.of("permission", "*", "pattern", "*", "action", "allow");

    assertThat(offered(external(List.of(all))))
        .contains("task", "spawn", "task_output")
        .doesNotContain("read", "message");
    assertThat(offered(external(List.of(allow("Read"), allow("todo*")))))
        .contains("task", "read")
        .doesNotContain("todoread", "write");
  }

  @Test
  void hostedAndClosedSessionsMakeNoCalls() {
    var hosted = kit.session(_ -> {});
    call(hosted, "1", "task_list", Map.of())
        .then()
        .statusCode(409)
        .body("detail", is("The session is hosted: its tools run in its loop."));

    var closed = kit.externalSession();
    kit.tamper("update session set state = 'closed' where id = ?", closed.value());
    call(closed, "1", "task_list", Map.of()).then().statusCode(409);
    get(closed, "1", 0).then().statusCode(404);
  }

  @Test
  void callThatTakesLongerIsAwaitedLater() {
    var session = allowing("stall");
    stall.waitAt(gate);

    start(session, "call.1", "stall", Map.of())
        .statusCode(202)
        .header("Location", endsWith("/v1/sessions/" + session + "/tool-calls/call.1"))
        .body("state", is("running"), "content", nullValue(), "is_error", nullValue());
    get(session, "call.1", 0).then().statusCode(200).body("state", is("running"));
    gate.open();

    get(session, "call.1", 60_000).then().body("state", is("done"), "content", is("done"));
  }

  @Test
  void foregroundTaskAnswersItsCall() {
    kit.child("dig", model -> model.at(gate).says("gold"));
    var session = kit.externalSession();
    var task = Map.of("description", "a task", "prompt", "dig");

    start(session, "1", "task", task).statusCode(202);
    start(session, "1", "task", task).statusCode(202);
    gate.awaitArrivals(1);
    gate.open();

    get(session, "1", 60_000)
        .then()
        .body("state", is("done"), "is_error", is(false))
        .body("content", startsWith("gold\n\n<task_metadata>\ntask_id: task_"));
    assertThat(kit.tasksOf(session)).hasSize(1);
    kit.awaitRest(session);
    assertThat(kit.outline(session)).as("the result is no message, too").isEmpty();
  }

  /** Each of them is an act of the client, so that none counts against the next. */
  @Test
  void delegationCountsAsTheClientsAndItsResultCanBeRead() throws Exception {
    kit.children(_ -> new Script().saysForever("gold"));
    var session = kit.limitedSession(Map.of("max_delegations", 1));

    for (var id : List.of("1", "2")) {
      var task = Map.of("description", "a task", "prompt", "dig " + id, "background", true);
      done(session, id, "task", task)
          .body("content", startsWith("The task was accepted and runs in the background"));
    }
    try (var threads = Executors.newFixedThreadPool(2)) {
      threads
          .invokeAll(
              kit.tasksOf(session).stream()
                  .map(task -> task.id().toString())
                  .<Callable<HttpAnswer>>map(id ->
                      () -> call(session, id, "TaskOutput", Map.of("task_id", id, "block", true)))
                  .toList())
          .forEach(read ->
              read.resultNow().then().body("content", containsString("\"result\":\"gold\"")));
    }
  }

  @Test
  void lostCallWithASideEffectIsNotRepeated() {
    var session = allowing("stall");
    stall.waitAt(gate);
    start(session, "1", "stall", Map.of()).statusCode(202);
    gate.awaitArrivals(1);

    loseNode(session);
    get(session, "1", 60_000)
        .then()
        .body("state", is("unknown"), "is_error", is(true))
        .body("content", startsWith("The worker was lost during this call"));

    gate.awaitInterrupt();
    done(session, "1", "stall", Map.of()).body("state", is("unknown"));
    assertThat(gate.passed()).isZero();
  }

  @Test
  void lostCallThatChangesNothingIsRepeated() {
    kit.child("dig", model -> model.at(gate).says("gold"));
    var session = kit.externalSession();
    var task = kit.submit(session, "dig").toString();
    start(session, "1", "task_output", Map.of("task_id", task, "wait_ms", 60_000)).statusCode(202);
    var epoch = "select epoch from tool_call where session_id = '%s'".formatted(session.value());
    var before = kit.row(epoch, Long.class);

    loseNode(session);
    await().until(() -> kit.row(epoch, Long.class) > before);
    gate.open();

    get(session, "1", 60_000).then().body("content", containsString("\"result\":\"gold\""));
  }

  @Test
  void cancelOfTheSessionEndsItsCalls() {
    kit.child("dig", model -> model.at(gate).says("gold"));
    var session = allowing("stall");
    stall.waitAt(gate);
    start(session, "1", "stall", Map.of()).statusCode(202);
    start(session, "2", "task", Map.of("description", "a task", "prompt", "dig")).statusCode(202);
    gate.awaitArrivals(2);

    kit.cancel(session);

    for (var id : List.of("1", "2")) {
      get(session, id, 0)
          .then()
          .body("state", is("done"), "is_error", is(true))
          .body("content", is("Cancelled before it was done."));
    }
    gate.awaitInterrupt();
    gate.awaitInterrupt();
  }

  @Test
  void sessionHasALimitedNumberOfCallsAtATime() throws Exception {
    var session = allowing("stall");
    stall.waitAt(gate);
    try (var threads = Executors.newFixedThreadPool(4)) {
      var all =
          threads.invokeAll(
              IntStream.range(0, 20)
                  .<Callable<Integer>>mapToObj(
                      id -> () -> start(session, "" + id, "stall", Map.of()).extract().statusCode())
                  .toList());
      assertThat(all.stream().map(answer -> answer.resultNow()).filter(is -> is == 202).count())
          .isEqualTo(16);
    }

    start(session, "more", "stall", Map.of()).statusCode(429).header("Retry-After", notNullValue());
    gate.awaitArrivals(16);
    kit.cancel(session);
    IntStream.range(0, 16).forEach(_ -> gate.awaitInterrupt());
  }

  /** As if the node that executes the session's calls had died a while ago. */
  private void loseNode(SessionId session) {
    kit.tamper(
        "update tool_call set node_id = ?, started_at = now() - interval '1 minute' where session_id = ?",
        UUID.randomUUID(),
        session.value());
  }

  private SessionId allowing(String... tools) {
    return external(Arrays.stream(tools).map(ToolCallsDbTest::allow).toList());
  }

  private static Map<String, String> allow(String tool) {
    return Map.of("permission", tool, "pattern", "*", "action", "allow");
  }

  private SessionId external(List<Map<String, String>> permissions) {
    return kit.externalSession(
        Map.of("workspace", workspace.toString(), "permissions", permissions));
  }

  private static List<String> offered(SessionId session) {
    return given()
        .get("/v1/tools?format=mcp&session_id={id}", session.toString())
        .path("tools.name");
  }

  private String events(SessionId session) {
    return kit.row(
        "select string_agg(type, ', ' order by number) from event where session_id = '%s' and type like 'tool.%%'"
            .formatted(session.value()),
        String.class);
  }

  private static HttpAnswer done(SessionId session, String id, String tool, Object arguments) {
    return call(session, id, tool, arguments).then().statusCode(200);
  }

  /** Makes a call without waiting for its end. */
  private static HttpAnswer start(SessionId session, String id, String tool, Object arguments) {
    return call(session, id, tool, arguments, "wait=0").then();
  }

  private static HttpAnswer call(SessionId session, String id, String tool, Object arguments) {
    return call(session, id, tool, arguments, "wait=60");
  }

  private static HttpAnswer call(
      SessionId session, String id, String tool, Object arguments, String prefer) {
    return TaskKit.patiently(() ->
        given()
            .contentType("application/json")
            .header("Prefer", prefer)
            .body(Map.of("call_id", id, "name", tool, "arguments", arguments))
            .post(CALLS, session.toString()));
  }

  private static HttpAnswer get(SessionId session, String id, int waitMs) {
    return given().get(CALLS + "/{call}?wait_ms={wait}", session.toString(), id, waitMs);
  }
}
