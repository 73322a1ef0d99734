package dev.errand.mcp;

import static dev.errand.kit.Http.given;
import static dev.errand.kit.WithAuthentication.ADMIN_KEY;
import static dev.errand.kit.WithAuthentication.as;
import static dev.errand.kit.WithAuthentication.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;

import dev.errand.conversation.TaskId;
import dev.errand.kit.Gate;
import dev.errand.kit.HttpAnswer;
import dev.errand.kit.McpClient;
import dev.errand.kit.Script;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.kit.WithAuthentication;
import dev.errand.task.TaskState;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.io.IOException;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two principals: the tasks of one do not exist for the other. */
@QuarkusTest
@TestProfile(WithAuthentication.class)
class McpPrincipalsDbTest implements Story {

  private static final Map<String, Object> ASKED = Map.of("description", "a task", "prompt", "dig");

  @Inject TaskKit kit;
  @Inject Jdbi jdbi;
  @Inject MeterRegistry registry;

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
  void revokedKeyEndsItsCallAndNotTheTask() throws IOException {
    var gate = new Gate();
    kit.children(_ -> new Script().at(gate).says("gold"));
    var open = openCalls();

    try (var stream = McpClient.modern().key(mine).open("task", ASKED)) {
      gate.awaitArrivals(1);
      as(ADMIN_KEY).delete("/v1/keys/" + mine.split("_")[1]).statusCode(204);
      assertThatThrownBy(stream::readAllBytes).isInstanceOf(IOException.class);
    }
    await("the call is over").until(() -> openCalls() <= open);
    gate.open();

    var id = kit.row("select id::text from task order by id desc limit 1", String.class);
    kit.watch(kit.look(task(id)).root());
    assertThat(kit.awaitEnd(task(id)).state()).isEqualTo(TaskState.COMPLETED);
  }

  private double openCalls() {
    return registry.get("errand.mcp.open.calls").gauge().value();
  }

  /** A client whose first request fails would speak an older revision from then on. */
  @Test
  void discoveryDoesNotNeedTheDatabase() {
    var session =
        as(mine)
            .contentType("application/json")
            .body(Map.of("kind", "external"))
            .post("/v1/sessions")
            .<String>path("id");
    var token =
        as(mine)
            .contentType("application/json")
            .body(Map.of("expires_in_s", 600))
            .post("/v1/sessions/{id}/tokens", session)
            .<String>path("token");
    var client = McpClient.modern().key(token);
    client
        .call("server/discover", Map.of())
        .body("result.instructions", containsString("- general:"));

    QuarkusTransaction.requiringNew()
        .run(() -> {
          jdbi.useHandle(handle -> handle.execute("lock table session in access exclusive mode"));
          client
              .call("server/discover", Map.of())
              .statusCode(200)
              .body("result.supportedVersions[0]", is("2026-07-28"))
              .body("result.instructions", containsString("Errand runs subagents durably"))
              .body("result.instructions", not(containsString("- general:")));
        });
  }

  @Test
  void callersNeedAKeyThatMayDelegate() {
    McpClient.modern()
        .call("tools/list", Map.of())
        .statusCode(401)
        .header("WWW-Authenticate", "Bearer")
        .body("detail", containsString("key"));
    McpClient.modern()
        .key("err_none_" + "0".repeat(64))
        .call("tools/list", Map.of())
        .statusCode(401);
    McpClient.modern()
        .key(key("viewer", Map.of()))
        .call("tools/list", Map.of())
        .statusCode(403)
        .body("detail", containsString("role"));
    given().get("/mcp").statusCode(401);
  }
}
