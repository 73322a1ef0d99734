package dev.errand.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.nullValue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.kit.Gate;
import dev.errand.kit.McpClient;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.model.ModelException.Code;
import dev.errand.task.TaskState;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients without the tasks extension: their calls wait on a stream. */
@QuarkusTest
class McpStreamedCallsDbTest implements Story {

  @Inject TaskKit kit;
  @Inject MeterRegistry registry;

  private static Map<String, Object> asked(String prompt) {
    return Map.of("description", "a task", "prompt", prompt);
  }

  private TaskId newest() {
    var id = kit.row("select id::text from task order by id desc limit 1", String.class);
    var task = new TaskId(UUID.fromString(id));
    kit.watch(kit.look(task).root());
    return task;
  }

  private TaskId begun(Gate gate) {
    gate.awaitArrivals(1);
    return newest();
  }

  @ParameterizedTest
  @ValueSource(strings = {"2026-07-28", "2025-11-25", "2025-03-26"})
  void callIsAnsweredOnItsStream(String version) {
    kit.child("dig", script -> script.says("gold"));
    var client = version.equals(McpClient.MODERN) ? McpClient.modern() : McpClient.legacy(version);

    var answer = client.tool("task", asked("dig"));

    answer.statusCode(200).contentType("text/event-stream").header("X-Accel-Buffering", "no");
    assertThat(answer.asString()).startsWith(":\n\n").contains("event: message\ndata: {");
    assertThat(McpClient.text(answer)).isEqualTo("gold");
    var result = McpClient.messages(answer).getLast();
    assertThat(result.get("id").asInt()).isEqualTo(1);
    assertThat(result.at("/result").has("resultType")).isEqualTo(version.equals(McpClient.MODERN));
    var task = newest();
    assertThat(kit.look(task).background()).isTrue();
  }

  @Test
  void progressIsToldAtOnceAndRises() {
    var gate = new Gate();
    kit.child("dig", script -> script.at(gate).says("gold"));
    var client = McpClient.legacy("2025-11-25").meta("progressToken", "p7");

    var call = CompletableFuture.supplyAsync(() -> client.tool("task", asked("dig")));
    var task = begun(gate);
    await("the call is open for some time")
        .until(() ->
            kit.row(
                "select now() - created_at > interval '3 s' from task where id = '%s'"
                    .formatted(task.value()),
                Boolean.class));
    gate.open();

    var messages = McpClient.messages(call.join());
    var progress = messages.subList(0, messages.size() - 1);
    assertThat(progress).hasSizeGreaterThan(1);
    assertThat(progress)
        .allSatisfy(message -> {
          assertThat(message.get("method").asText()).isEqualTo("notifications/progress");
          assertThat(message.at("/params/progressToken").asText()).isEqualTo("p7");
          assertThat(message.at("/params/message").asText()).isNotEmpty();
        });
    assertThat(progress.stream().map(message -> message.at("/params/progress").asLong()))
        .isSorted()
        .doesNotHaveDuplicates();
    assertThat(McpClient.text(call.join())).isEqualTo("gold");
  }

  @Test
  void longTaskIsReadLater() {
    var gate = new Gate();
    kit.child("dig", script -> script.at(gate).says("gold"));

    var answer = McpClient.modern().query("wait_ms=300").tool("task", asked("dig"));
    var task = newest();
    assertThat(McpClient.text(answer)).contains("still running", task.toString(), "wait_ms");
    var output = Map.of("task_id", task.toString(), "wait_ms", 20_000);
    var read = CompletableFuture.supplyAsync(() -> McpClient.modern().tool("task_output", output));
    gate.open();

    assertThat(McpClient.text(read.join())).isEqualTo("gold");
  }

  @Test
  void backgroundCallIsAnsweredAtOnce() {
    var gate = new Gate();
    kit.child("dig", script -> script.at(gate).says("gold"));

    var answer =
        McpClient.modern()
            .tool("task", Map.of("description", "a", "prompt", "dig", "background", true));

    answer
        .statusCode(200)
        .contentType("application/json")
        .body("result.isError", is(false), "result.resultType", is("complete"))
        .body("result.content[0].text", containsString("task_output with wait_ms"));
    assertThat(answer.asString()).doesNotContain("notice");
    newest();
    gate.open();
  }

  @Test
  void modernClientThatClosesItsStreamCancelsItsTask() throws IOException {
    var gate = new Gate();
    kit.child("dig", script -> script.at(gate).says("gold"));
    var client = McpClient.modern().header("Idempotency-Key", "closed-" + UUID.randomUUID());

    client.open("task", asked("dig")).close();
    var task = begun(gate);

    assertThat(kit.awaitEnd(task).state()).isEqualTo(TaskState.CANCELLED);
    await("the key is free")
        .until(() ->
            kit.row(
                    "select count(*) from idempotency_key where task_id = '%s'"
                        .formatted(task.value()),
                    Integer.class)
                == 0);
    gate.open();
    kit.child("dig", script -> script.says("silver"));
    assertThat(McpClient.text(client.tool("task", asked("dig")))).isEqualTo("silver");
    newest();
  }

  @Test
  void modernClientThatClosesItsStreamLeavesATaskThatItJoined() throws IOException {
    var gate = new Gate();
    kit.child("dig", script -> script.at(gate).says("gold"));
    var key = "joined-" + UUID.randomUUID();
    var client = McpClient.modern().header("Idempotency-Key", key);
    var background = client.query("wait_ms=0").tool("task", asked("dig"));
    assertThat(McpClient.text(background)).contains("still running");
    var task = begun(gate);
    var open = openCalls();

    client.query("wait_ms=60000").open("task", asked("dig")).close();
    await("the call is over").until(() -> openCalls() <= open);
    gate.open();

    assertThat(kit.awaitEnd(task).state()).isEqualTo(TaskState.COMPLETED);
  }

  private double openCalls() {
    return registry.get("errand.mcp.open.calls").gauge().value();
  }

  @Test
  void legacyClientThatLosesItsConnectionLeavesItsTask() throws IOException {
    var gate = new Gate();
    kit.child("dig", script -> script.at(gate).says("gold"));
    var open = openCalls();

    McpClient.legacy("2025-11-25").open("task", asked("dig")).close();
    var task = begun(gate);
    await("the call is over").until(() -> openCalls() <= open);
    gate.open();

    assertThat(kit.awaitEnd(task).state()).isEqualTo(TaskState.COMPLETED);
    kit.awaitDelivery(task);
  }

  @Test
  void failedTaskIsAnErrorWithItsReason() {
    kit.child("dig", script -> script.fails(Code.MODEL_UNAUTHORIZED));

    var answer = McpClient.modern().tool("task", asked("dig"));
    newest();

    var result = McpClient.messages(answer).getLast().get("result");
    assertThat(result.get("isError").asBoolean()).isTrue();
    assertThat(result.at("/content/0/text").asText()).contains("failed", "model_unauthorized");
    List<JsonNode> states = result.findValues("state");
    assertThat(states).extracting(JsonNode::asText).containsExactly("failed");
  }

  @Test
  void temporaryRootOfACallHasNoParentSession() {
    kit.child("dig", script -> script.says("gold"));

    McpClient.modern().tool("task", asked("dig")).statusCode(200);
    var root = kit.look(newest()).root();

    assertThat(kit.look(root).parent()).isNull();
    assertThat(expiry(root)).isEqualTo("infinity");
  }

  private String expiry(SessionId root) {
    return kit.row(
        "select expires_at::text from session where id = '%s'".formatted(root.value()),
        String.class);
  }

  @Test
  void unknownAgentIsRefusedWithoutAStream() {
    McpClient.modern()
        .tool("task", Map.of("description", "a", "prompt", "dig", "subagent_type", "nobody"))
        .contentType("application/json")
        .body("result.isError", is(true), "error", nullValue())
        .body("result.content[0].text", containsString("subagent_type: unknown agent 'nobody'"));
  }
}
