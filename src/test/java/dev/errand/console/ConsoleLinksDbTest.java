package dev.errand.console;

import static dev.errand.kit.WithAuthentication.ADMIN_KEY;
import static dev.errand.kit.WithAuthentication.CONSOLE;
import static dev.errand.kit.WithAuthentication.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.endsWith;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.nullValue;

import dev.errand.conversation.TaskId;
import dev.errand.kit.Gate;
import dev.errand.kit.HttpAnswer;
import dev.errand.kit.McpClient;
import dev.errand.kit.Script;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.kit.WithAuthentication;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A service that knows the address of its console says where a person can watch a task. */
@QuarkusTest
@TestProfile(WithAuthentication.class)
class ConsoleLinksDbTest implements Story {

  private static final Map<String, Object> ASKED = Map.of("description", "a task", "prompt", "dig");

  @Inject TaskKit kit;

  private final Gate gate = new Gate();

  @BeforeEach
  void actAsAdmin() {
    WithAuthentication.actAsAdmin();
    kit.children(_ -> new Script().at(gate).says("gold"));
  }

  @AfterEach
  void actAsNobody() {
    gate.open();
    WithAuthentication.actAsNobody();
  }

  @Test
  void acceptedBackgroundTask() {
    var task = submitted(Map.of("background", true), "wait=60");

    task.statusCode(202)
        .body("metadata.status", is("accepted"))
        .body("metadata.console_url", is(CONSOLE + "/" + task.path("metadata.task_id")));
  }

  @Test
  void foregroundTaskThatHasNotEnded() {
    var task = submitted(Map.of(), "wait=0");

    task.statusCode(202)
        .body("metadata.status", is("running"))
        .body("metadata.console_url", is(CONSOLE + "/" + task.path("metadata.task_id")));
  }

  @Test
  void foregroundTaskThatHasEnded() {
    gate.open();

    submitted(Map.of(), "wait=60")
        .statusCode(200)
        .body("metadata.status", is("completed"), "metadata.console_url", nullValue());
  }

  @Test
  void toolCallThatHasNotEnded() {
    var session = kit.externalSession();

    as(ADMIN_KEY)
        .contentType("application/json")
        .header("Prefer", "wait=0")
        .body(Map.of("call_id", "1", "name", "task", "arguments", ASKED))
        .post("/v1/sessions/{id}/tool-calls", session.toString())
        .statusCode(202)
        .body("metadata.console_url", is(CONSOLE + "/" + session));
    gate.open();
    as(ADMIN_KEY)
        .get("/v1/sessions/{id}/tool-calls/1?wait_ms=60000", session.toString())
        .body("state", is("done"), "metadata", nullValue());
  }

  @Test
  void taskOfTheProtocol() {
    var client = McpClient.withTasks().key(ADMIN_KEY);
    var created = client.tool("task", ASKED).statusCode(200);
    var id = watched(created.path("result.taskId"));

    created.body("result.statusMessage", endsWith(" · watch it at " + CONSOLE + "/" + id));
    client
        .call("tasks/get", Map.of("taskId", created.path("result.taskId")))
        .body("result.statusMessage", endsWith(" · watch it at " + CONSOLE + "/" + id));
  }

  @Test
  void backgroundTaskOfAClientOfMcp() {
    var client = McpClient.modern().key(ADMIN_KEY);
    var asked = new HashMap<>(ASKED);
    asked.put("background", true);
    var started = client.tool("task", asked).statusCode(200);
    var id = watched(started.path("result._meta.'dev.errand/task'.id"));

    var output = client.tool("task_output", Map.of("task_id", id.toString()));

    assertThat(McpClient.text(started)).contains("is started", at(id));
    assertThat(McpClient.text(output)).contains("still running", at(id));
  }

  private static String at(TaskId task) {
    return "\nA person can watch it at " + CONSOLE + "/" + task;
  }

  private HttpAnswer submitted(Map<String, ?> more, String prefer) {
    var body = new HashMap<String, Object>(ASKED);
    body.putAll(more);
    body.put("parent_session_id", kit.externalSession().toString());
    return as(ADMIN_KEY)
        .contentType("application/json")
        .header("Prefer", prefer)
        .body(body)
        .post("/v1/tasks");
  }

  private TaskId watched(String id) {
    var task = TaskId.parse(id).orElseGet(() -> new TaskId(UUID.fromString(id)));
    kit.watch(kit.look(task).root());
    return task;
  }
}
