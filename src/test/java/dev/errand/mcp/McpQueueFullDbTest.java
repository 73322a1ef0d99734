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
import org.junit.jupiter.api.Test;

/** A tenant whose pending tasks are at their limit. */
@QuarkusTest
@TestProfile(Scarce.class)
class McpQueueFullDbTest implements Story {

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

  private static HttpAnswer delegated(int number) {
    return McpClient.withTasks()
        .tool("task", Map.of("description", "a task", "prompt", "dig " + number));
  }

  private void watch(String task) {
    kit.watch(kit.look(new TaskId(UUID.fromString(task))).root());
  }
}
