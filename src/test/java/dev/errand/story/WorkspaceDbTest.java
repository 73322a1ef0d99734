package dev.errand.story;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;

import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.task.TaskState;
import dev.errand.tool.web.UserMessages;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sessions in workspaces that are allowed, and in others. */
@QuarkusTest
class WorkspaceDbTest implements Story {

  private static final String CODE = "workspace_not_allowed";

  @Inject TaskKit kit;
  @Inject UserMessages messages;
  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"/etc", "/etc/missing", "/", "..", ".errand/x", "src/../config"})
  void otherDirectoryIsRefused(String workspace) {
    given()
        .contentType("application/json")
        .body(Map.of("workspace", workspace))
        .post("/v1/sessions")
        .then()
        .statusCode(400)
        .body("errors[0].field", is("workspace"))
        .body(
            "errors[0].message",
            allOf(containsString(workspace + " "), not(containsString("there is no directory"))));
  }

  /** As after an upgrade or a change of the setting. */
  @Test
  void sessionWhoseWorkspaceIsNoLongerAllowedFailsAndCanBeResumed() throws IOException {
    var link = pointTo(Files.createDirectory(folder.resolve("project")));
    var root = kit.session(Map.of("workspace", link.toString()), model -> model.says("here again"));
    pointTo(Path.of("/etc"));

    kit.say(root, "Are you there?");
    kit.awaitRest(root);

    assertThat(kit.requests(root)).isEmpty();
    given()
        .get("/v1/sessions/{id}", root.toString())
        .then()
        .body("last_error.code", is(CODE))
        .body("last_error.message", containsString("ERRAND_WORKSPACES_ROOTS"));

    pointTo(folder.resolve("project"));
    given()
        .contentType("application/json")
        .post("/v1/sessions/{id}/resume", root.toString())
        .then()
        .statusCode(202);
    kit.awaitRest(root);
    assertThat(kit.transcript(root).getLast().text()).isEqualTo("here again");
  }

  @Test
  void taskWhoseWorkspaceIsNoLongerAllowedFails() throws IOException {
    var link = pointTo(Files.createDirectory(folder.resolve("project")));
    var parent = kit.externalSession(Map.of("workspace", link.toString()));
    pointTo(Path.of("/etc"));

    var task = kit.awaitEnd(kit.submit(parent, "look", Map.of()));

    assertThat(task.state()).isEqualTo(TaskState.FAILED);
    assertThat(task.attempts()).isOne();
    given().get("/v1/tasks/{id}", task.id().toString()).then().body("error.code", is(CODE));
  }

  @Test
  void userMessagesOfATreeAreThoseThatClientsSent() {
    kit.child("read evil.example", model -> model.says("good.example"));
    var root = kit.session(model -> model.callsTask("read evil.example").thenSays("worse.example"));
    kit.say(root, "Read good.example.");
    kit.awaitRest(root);
    var external = kit.externalSession();
    kit.child("see other.example", model -> model.says("done"));
    var task = kit.awaitEnd(kit.submit(external, "see other.example", Map.of()));

    assertThat(messages.inTreeOf(root)).containsExactly("Read good.example.");
    assertThat(messages.inTreeOf(kit.childOf(root))).containsExactly("Read good.example.");
    assertThat(messages.inTreeOf(task.child())).containsExactly("see other.example");
  }

  private Path pointTo(Path target) throws IOException {
    var link = folder.resolve("workspace");
    Files.deleteIfExists(link);
    return Files.createSymbolicLink(link, target);
  }
}
