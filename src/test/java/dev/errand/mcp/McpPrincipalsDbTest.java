package dev.errand.mcp;

import static dev.errand.kit.Http.given;
import static dev.errand.kit.WithAuthentication.as;
import static dev.errand.kit.WithAuthentication.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;

import dev.errand.conversation.TaskId;
import dev.errand.kit.HttpAnswer;
import dev.errand.kit.McpClient;
import dev.errand.kit.Script;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.kit.WithAuthentication;
import dev.errand.task.TaskState;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two principals: the tasks of one do not exist for the other. */
@QuarkusTest
@TestProfile(WithAuthentication.class)
class McpPrincipalsDbTest implements Story {

  private static final Map<String, Object> ASKED = Map.of("description", "a task", "prompt", "dig");

  @Inject TaskKit kit;

  private String mine = "";
  private String theirs = "";

  @BeforeEach
  void makeKeys() {
    WithAuthentication.actAsNobody();
    mine = key("agent", Map.of());
    theirs = key("agent", Map.of());
    kit.children(_ -> new Script().saysForever("gold"));
  }

  @AfterEach
  void actAsNobody() {
    WithAuthentication.actAsNobody();
  }

  private String accepted(HttpAnswer answer) {
    String id = answer.statusCode(200).body("result.resultType", is("task")).path("result.taskId");
    kit.watch(kit.look(task(id)).root());
    return id;
  }

  private static TaskId task(String dashed) {
    return new TaskId(UUID.fromString(dashed));
  }

  private static HttpAnswer poll(String key, String id) {
    return McpClient.withTasks().key(key).call("tasks/get", Map.of("taskId", id)).statusCode(200);
  }

  @Test
  void tasksOfAnotherPrincipalDoNotExist() {
    var id = accepted(McpClient.withTasks().key(mine).tool("task", ASKED));
    var other = McpClient.withTasks().key(theirs);
    var never = UUID.randomUUID().toString();

    for (var method : new String[] {"tasks/get", "tasks/cancel", "tasks/update"}) {
      var params = Map.of("taskId", id, "inputResponses", Map.of());
      var unknown = Map.of("taskId", never, "inputResponses", Map.of());
      assertThat(other.call(method, params).asString())
          .isEqualTo(other.call(method, unknown).asString())
          .contains("-32602");
    }
    for (var tool : new String[] {"task_output", "task_cancel"}) {
      other
          .tool(tool, Map.of("task_id", id))
          .body("result.isError", is(true))
          .body("result.content[0].text", containsString("there is no task"));
    }
    other.tool("task_list", Map.of()).body("result.content[0].text", not(containsString("task_")));
    assertThat(kit.awaitEnd(task(id)).state()).isEqualTo(TaskState.COMPLETED);
    await("its owner reads it")
        .until(() -> "completed".equals(poll(mine, id).path("result.status")));
    McpClient.modern()
        .key(mine)
        .tool("task_list", Map.of())
        .body("result.content[0].text", containsString(task(id).toString()));
  }

  @Test
  void keysOfPrincipalsDiffer() {
    var one = McpClient.withTasks().key(mine).header("Idempotency-Key", "the same");
    var other = McpClient.withTasks().key(theirs).header("Idempotency-Key", "the same");

    assertThat(accepted(one.tool("task", ASKED))).isNotEqualTo(accepted(other.tool("task", ASKED)));
  }

  @Test
  void sessionOfAnotherPrincipalIsUnknown() {
    String session =
        as(mine)
            .contentType("application/json")
            .body(Map.of("kind", "external"))
            .post("/v1/sessions")
            .statusCode(201)
            .path("id");

    McpClient.withTasks()
        .key(theirs)
        .header("Errand-Session", session)
        .tool("task", ASKED)
        .body("result.isError", is(true))
        .body("result.content[0].text", containsString("Errand-Session"));
    accepted(McpClient.withTasks().key(mine).header("Errand-Session", session).tool("task", ASKED));
  }

  @Test
  void sessionTokenDelegatesInItsSession() {
    String session =
        as(mine)
            .contentType("application/json")
            .body(Map.of("kind", "external"))
            .post("/v1/sessions")
            .statusCode(201)
            .path("id");
    String token =
        as(mine)
            .contentType("application/json")
            .body(Map.of("expires_in_s", 600))
            .post("/v1/sessions/{id}/tokens", session)
            .statusCode(201)
            .path("token");

    var id = accepted(McpClient.withTasks().key(token).tool("task", ASKED));

    assertThat(kit.look(task(id)).parent()).hasToString(session);
    McpClient.modern()
        .key(token)
        .call("server/discover", Map.of())
        .body("result.cacheScope", is("private"));
  }

  @Test
  void callersNeedAKeyThatMayDelegate() {
    McpClient.modern().call("tools/list", Map.of()).statusCode(401);
    McpClient.modern().key(key("viewer", Map.of())).call("tools/list", Map.of()).statusCode(403);
    given().get("/mcp").statusCode(401);
  }
}
