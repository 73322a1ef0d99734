package dev.errand.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.matchesPattern;

import dev.errand.conversation.TaskId;
import dev.errand.kit.Gate;
import dev.errand.kit.HttpAnswer;
import dev.errand.kit.McpClient;
import dev.errand.kit.Scarce;
import dev.errand.kit.Script;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Calls that are not answered with a result: the queue is full, or the child outlasts the call. */
@QuarkusTest
@TestProfile(Scarce.class)
class McpShortWaitDbTest implements Story {

  private static final Pattern TASK_ID = Pattern.compile("task_[0-9a-f]{32}");

  @Inject TaskKit kit;

  @Test
  void fullQueueIsAnErrorThatSaysWhenToTryAgain() {
    var gate = new Gate();
    kit.children(_ -> new Script().at(gate).says("gold"));
    var accepted = 0;

    var answer = delegated(accepted);
    while ("task".equals(answer.path("result.resultType"))) {
      watch(answer.path("result.taskId"));
      accepted++;
      assertThat(accepted).isLessThan(2 * Scarce.MAX_PENDING);
      answer = delegated(accepted);
    }

    assertThat(accepted).isGreaterThanOrEqualTo(Scarce.MAX_PENDING);
    answer
        .statusCode(200)
        .body("result.isError", is(true))
        .body(
            "result.content[0].text",
            matchesPattern("Not delegated: queue full, try again in \\d+ s: .*"));
    gate.open();
  }

  /**
   * As a child of ten minutes does, whose client waits for 50 s and has no tasks of the protocol.
   */
  @Test
  void childThatOutlastsItsCallsIsFoundWithItsAnswer() {
    var gate = new Gate();
    kit.children(_ -> new Script().at(gate).says("gold"));
    var client = McpClient.modern();

    var call = client.tool("task", Map.of("description", "a task", "prompt", "dig"));
    var id = TASK_ID.matcher(McpClient.text(call)).results().findFirst().orElseThrow().group();
    kit.watch(kit.look(TaskId.parse(id).orElseThrow()).root());
    assertThat(McpClient.text(call)).contains("still running", "task_output", "wait_ms");
    var output = Map.of("task_id", id, "wait_ms", 100);
    assertThat(McpClient.text(client.tool("task_output", output))).contains("still running", id);
    kit.tamper(
        "update task set created_at = created_at - interval '10 minutes',"
            + " started_at = started_at - interval '10 minutes' where id = ?",
        TaskId.parse(id).orElseThrow().value());
    assertThat(McpClient.text(client.tool("task_output", output))).contains("still running", id);
    gate.open();

    var last = Map.of("task_id", id, "wait_ms", 60_000);
    assertThat(McpClient.text(client.tool("task_output", last))).isEqualTo("gold");
    assertThat(McpClient.text(client.tool("task_list", Map.of()))).contains(id);
  }

  private static HttpAnswer delegated(int number) {
    return McpClient.withTasks()
        .tool("task", Map.of("description", "a task", "prompt", "dig " + number));
  }

  private void watch(String task) {
    kit.watch(kit.look(new TaskId(UUID.fromString(task))).root());
  }
}
