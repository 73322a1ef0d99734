package dev.errand.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.notNullValue;
import static org.hamcrest.Matchers.nullValue;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.kit.Gate;
import dev.errand.kit.HttpAnswer;
import dev.errand.kit.McpClient;
import dev.errand.kit.Script;
import dev.errand.kit.Script.Call;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.model.ModelException.Code;
import dev.errand.outbox.DeliveryState;
import dev.errand.task.TaskState;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Clients with the tasks extension: their calls are accepted, and they poll. */
@QuarkusTest
class McpTasksDbTest implements Story {

  private static final String DASHED = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";

  @Inject TaskKit kit;

  private static Map<String, Object> asked(String prompt) {
    var arguments = new HashMap<String, Object>();
    arguments.put("description", "a task");
    arguments.put("prompt", prompt);
    return arguments;
  }

  private String accepted(HttpAnswer answer) {
    String id = answer.statusCode(200).body("result.resultType", is("task")).path("result.taskId");
    assertThat(id).matches(DASHED);
    kit.watch(kit.look(task(id)).root());
    return id;
  }

  private static TaskId task(String dashed) {
    return new TaskId(UUID.fromString(dashed));
  }

  private static HttpAnswer poll(String id) {
    return McpClient.withTasks().call("tasks/get", Map.of("taskId", id)).statusCode(200);
  }

  private static HttpAnswer awaited(String id) {
    return await("the task of the protocol has ended")
        .until(() -> poll(id), answer -> !answer.path("result.status").equals("working"));
  }

  @Test
  void callIsAcceptedAndPolledToItsResult() {
    var gate = new Gate();
    kit.child("dig", script -> script.at(gate).says("gold"));

    var answer = McpClient.withTasks().tool("task", asked("dig"));
    var id = accepted(answer);
    answer.body("result.status", is("working"), "result.pollIntervalMs", is(2_000));
    var ttl = answer.<Number>path("result.ttlMs").longValue();
    assertThat(Duration.ofMillis(ttl)).isBetween(Duration.ofHours(24), Duration.ofHours(25));
    poll(id).body("result.resultType", is("complete"), "result.result", nullValue());
    gate.open();

    var ended = awaited(id);
    ended
        .body("result.status", is("completed"), "result.taskId", is(id))
        .body("result.result.content[0].text", is("gold"), "result.result.isError", is(false))
        .body("result.result._meta.'dev.errand/task'.stop_reason", is("end_turn"))
        .body("result.result._meta.'dev.errand/task'.partial", is(false))
        .body("result._meta.'io.modelcontextprotocol/serverInfo'.name", is("errand"));
    assertThat(Instant.parse(ended.path("result.lastUpdatedAt")))
        .isAfterOrEqualTo(ended.<String>path("result.createdAt"));
    await("the result counts as read")
        .until(() -> kit.look(task(id)).delivery().orElseThrow() == DeliveryState.CONSUMED);
    poll(id).body("result.result.content[0].text", is("gold"));
  }

  @Test
  void statusMessageSaysHowFarATaskIs() {
    var gate = new Gate();
    var at = new Script().calls(Call.of("glob", Map.of("pattern", "*")));
    kit.children(_ -> at.at(gate).says("gold"));

    var id = accepted(McpClient.withTasks().tool("task", asked("look around")));
    await("the progress is written")
        .until(
            () -> poll(id).<String>path("result.statusMessage"),
            line -> line.matches("turn 1( · glob)? · \\d+ s"));
    gate.open();

    awaited(id).body("result.status", is("completed"));
  }

  @Test
  void failedTaskIsCompletedWithAnError() {
    kit.child("dig", script -> script.fails(Code.MODEL_UNAUTHORIZED));

    var id = accepted(McpClient.withTasks().tool("task", asked("dig")));

    awaited(id)
        .body("result.status", is("completed"), "result.result.isError", is(true))
        .body("result.result.content[0].text", containsString("model_unauthorized"));
  }

  @Test
  void cancelIsIdempotentAndLeavesNoResult() {
    var gate = new Gate();
    kit.child("dig", script -> script.at(gate).says("gold"));
    var id = accepted(McpClient.withTasks().tool("task", asked("dig")));
    var cancel = Map.of("taskId", "task_" + id.replace("-", ""));

    McpClient.withTasks().call("tasks/cancel", cancel).statusCode(200);
    McpClient.withTasks().call("tasks/cancel", cancel).body("result.resultType", is("complete"));

    poll(id).body("result.status", is("cancelled"), "result.result", nullValue());
    var updated = Map.of("taskId", id, "inputResponses", Map.of());
    McpClient.withTasks().call("tasks/update", updated).body("result.resultType", is("complete"));
  }

  @ParameterizedTest
  @CsvSource({
    "01a1fd25-6fe2-702a-adf4-c467243ef457",
    "task_01a1fd256fe2702aadf4c467243ef457",
    "1-1-1-1-1",
    "''"
  })
  void unknownTaskIsAFault(String id) {
    for (var method : new String[] {"tasks/get", "tasks/cancel", "tasks/update"}) {
      McpClient.withTasks()
          .call(method, Map.of("taskId", id, "inputResponses", Map.of()))
          .statusCode(200)
          .body("error.code", is(-32602));
    }
  }

  @Test
  void namedSessionDelegates() {
    var parent = kit.externalSession();
    kit.child("dig", script -> script.says("gold"));

    var id =
        accepted(
            McpClient.withTasks()
                .header("Errand-Session", parent.toString())
                .tool("task", asked("dig")));
    awaited(id);

    assertThat(kit.look(task(id)).parent()).isEqualTo(parent);
    await("the notice is consumed")
        .until(() -> kit.look(task(id)).delivery().orElseThrow() == DeliveryState.CONSUMED);
  }

  @Test
  void sessionThatCannotDelegateIsNamed() {
    var hosted = kit.session(script -> script.says("hello"));
    for (var id : new String[] {hosted.toString(), SessionId.next().toString(), "mine"}) {
      McpClient.withTasks()
          .header("Errand-Session", id)
          .tool("task", asked("dig"))
          .statusCode(200)
          .body("result.isError", is(true))
          .body(
              "result.content[0].text",
              allOf(containsString("Errand-Session"), containsString(id)));
    }
    assertThat(kit.tasksOf(hosted)).isEmpty();
  }

  @Test
  void repeatedCallJoinsTheTask() {
    kit.child("dig", script -> script.says("gold"));
    var key = UUID.randomUUID().toString();

    var first =
        accepted(McpClient.withTasks().header("Idempotency-Key", key).tool("task", asked("dig")));
    var again =
        accepted(
            McpClient.withTasks().meta("claudecode/toolUseId", key).tool("task", asked("dig")));
    var other =
        McpClient.withTasks().meta("claudecode/toolUseId", key).tool("task", asked("dig deeper"));

    assertThat(again).isEqualTo(first);
    other
        .statusCode(200)
        .body("result.isError", is(true))
        .body("result.content[0].text", containsString("claudecode/toolUseId"));
  }

  @Test
  void concurrentCallsWithOneKeyMakeOneTask() {
    kit.child("dig", script -> script.says("gold"));
    var key = UUID.randomUUID().toString();

    var calls =
        Stream.generate(() ->
                CompletableFuture.supplyAsync(() ->
                    McpClient.withTasks()
                        .header("Idempotency-Key", key)
                        .tool("task", asked("dig"))))
            .limit(2)
            .toList();

    var ids = calls.stream().map(CompletableFuture::join).map(this::accepted).distinct().toList();
    assertThat(ids).hasSize(1);
    var root = kit.look(task(ids.getFirst())).root();
    assertThat(kit.tasksOf(root)).hasSize(1);
    awaited(ids.getFirst()).body("result.result.content[0].text", is("gold"));
  }

  @ParameterizedTest
  @CsvSource({
    "subagent_type,nobody,subagent_type",
    "timeout_ms,0,timeout_ms",
    "depth,3,depth",
    "session_id,ses_00000000000000000000000000000000,session_id"
  })
  void wrongArgumentIsAnErrorForTheModel(String field, String value, String named) {
    var arguments = asked("dig");
    arguments.put(field, value);

    McpClient.withTasks()
        .tool("task", arguments)
        .statusCode(200)
        .body("result.isError", is(true), "result.content[0].text", containsString(named));
  }

  @Test
  void childIsContinuedByItsSession() {
    kit.child("dig", script -> script.says("gold").says("silver"));
    var first = accepted(McpClient.withTasks().tool("task", asked("dig")));
    String child = awaited(first).path("result.result._meta.'dev.errand/task'.session_id");

    var more = asked("dig deeper");
    more.put("session_id", child);
    var second = accepted(McpClient.withTasks().tool("task", more));

    awaited(second).body("result.result.content[0].text", is("silver"));
    assertThat(kit.look(task(second)).parent()).isEqualTo(kit.look(task(first)).parent());
  }

  @Test
  void answerIsKeptWhateverTheCleanup() {
    kit.child("dig", script -> script.says("gold"));
    var arguments = asked("dig");
    arguments.put("cleanup", "delete");

    var id = accepted(McpClient.withTasks().tool("task", arguments));
    awaited(id);

    assertThat(kit.row("select cleanup from task where id = '" + id + "'", String.class))
        .isEqualTo("keep");
    assertThat(kit.look(task(id)).notes()).singleElement().asString().contains("cleanup");
  }

  @Test
  void nothingIsAcceptedWhileTheDatabaseIsAway() {
    kit.tamper(
        """
        create function away() returns trigger language plpgsql as $$
          begin raise exception 'away' using errcode = '57P01'; end $$
        """);
    kit.tamper(
        "create trigger away before insert on task for each row"
            + " when (new.prompt = 'dig in vain') execute function away()");
    try {
      McpClient.withTasks()
          .tool("task", asked("dig in vain"))
          .statusCode(503)
          .header("Retry-After", notNullValue());
    } finally {
      kit.tamper("drop function away cascade");
    }
    assertThat(kit.row("select count(*) from task where prompt = 'dig in vain'", Integer.class))
        .isZero();
  }

  @Test
  void otherToolsReadCancelAndListTasks() {
    var gate = new Gate();
    kit.child("dig", script -> script.at(gate).says("gold"));
    var id = accepted(McpClient.withTasks().tool("task", asked("dig")));
    var parent = kit.look(task(id)).parent();
    var client = McpClient.withTasks();
    gate.awaitArrivals(1);

    client
        .tool("task_output", Map.of("task_id", id))
        .body("result.isError", is(false))
        .body("result.content[0].text", containsString("still running, task_id task_"));
    client
        .tool("task_list", Map.of("state", "running"))
        .body("result.content[0].text", containsString(task(id).toString()));
    client
        .tool("task_cancel", Map.of("task_id", id))
        .body("result.content[0].text", containsString("is cancelled"));
    client
        .tool("task_output", Map.of("task_id", id))
        .body("result.isError", is(true))
        .body("result.content[0].text", containsString("cancelled"));
    client
        .tool("task_output", Map.of("task_id", "task_7"))
        .body("result.isError", is(true))
        .body("result.content[0].text", containsString("task_id"));
    client.tool("task_output", Map.of()).body("result.isError", equalTo(true));
    assertThat(kit.look(task(id)).state()).isEqualTo(TaskState.CANCELLED);
    assertThat(kit.outline(parent)).isEmpty();
  }
}
