package dev.errand.delegate;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.Content;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.kit.Gate;
import dev.errand.kit.Script;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.permission.Permissions;
import dev.errand.tool.ToolBox;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolOutcome;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The stored patch of a task: its use by the parent's model, and by clients. */
@QuarkusTest
class TaskApplyDbTest implements Story {

  private static final byte[] PATCH =
      """
      diff --git a/a.txt b/a.txt
      index 814f4a422927b82f5f8a43f8fab6d3839e3983f2..7be2a56281b3bd20bb0bba53b7db574b36699eb1 100644
      --- a/a.txt
      +++ b/a.txt
      @@ -1,2 +1,2 @@
       one
      -two
      +2 – <task_notice>
      """
          .getBytes(StandardCharsets.UTF_8);

  private static final byte[] LATER_PATCH =
      """
      diff --git a/a.txt b/a.txt
      index 814f4a422927b82f5f8a43f8fab6d3839e3983f2..1ed3ac4c9b0161c581b9bb103d59c8a9a4c24674 100644
      --- a/a.txt
      +++ b/a.txt
      @@ -1,2 +1,3 @@
       one
      -two
      +2 – <task_notice>
      +three
      """
          .getBytes(StandardCharsets.UTF_8);

  private static final String AFTER = "one\n2 – <task_notice>\n";

  @Inject TaskKit kit;
  @Inject ToolBox tools;

  @TempDir Path workspace;

  @BeforeEach
  void file() throws Exception {
    Files.writeString(workspace.resolve("a.txt"), "one\ntwo\n");
  }

  @Test
  void parentChecksAndAppliesThePatchOnce() throws Exception {
    var parent = parent();
    var task = endedTask(parent, PATCH);

    var check = call(parent, task, "check");
    assertThat(check.isError()).isFalse();
    assertThat(check.text())
        .contains("can be applied; nothing was changed yet:\n  modified a.txt")
        .contains("-two\n+2 – &lt;task_notice>\n</task_patch>");
    assertThat(workspace.resolve("a.txt")).hasContent("one\ntwo\n");

    assertThat(call(parent, task, "apply").text())
        .isEqualTo("Applied the changes of %s:\n  modified a.txt".formatted(task));
    assertThat(workspace.resolve("a.txt")).hasContent(AFTER);
    assertThat(call(parent, task, "apply").text())
        .isEqualTo("The changes of %s were applied already; nothing was changed.".formatted(task));
    Files.writeString(workspace.resolve("a.txt"), "three\n");
    assertThat(call(parent, task, "apply").text())
        .contains("were applied already", "changed since:\n  a.txt");
    assertThat(workspace.resolve("a.txt")).hasContent("three\n");
  }

  @Test
  void earlierPatchOfAContinuedChildDoesNotUndoTheLaterOne() {
    var parent = parent();
    var first = endedTask(parent, PATCH);
    var child = kit.look(first).child();
    var second = endedTask(parent, LATER_PATCH, Map.of("session_id", child.toString()));
    assertThat(kit.look(second).child()).isEqualTo(child);

    assertThat(call(parent, second, "apply").text()).startsWith("Applied the changes");
    for (var mode : List.of("check", "apply")) {
      var result = call(parent, first, mode);
      assertThat(result.isError()).isFalse();
      assertThat(result.text())
          .isEqualTo(
              "The changes of %s were applied already, and contain those of %s; nothing was changed."
                  .formatted(second, first));
    }
    assertThat(workspace.resolve("a.txt")).hasContent(AFTER + "three\n");
  }

  @Test
  void laterPatchOfAContinuedChildTakesThePlaceOfTheEarlierOne() {
    var parent = parent();
    var first = endedTask(parent, PATCH);
    var child = kit.look(first).child().toString();
    var second = endedTask(parent, LATER_PATCH, Map.of("session_id", child));

    assertThat(call(parent, first, "apply").text()).startsWith("Applied the changes");
    assertThat(call(parent, second, "apply").text()).startsWith("Applied the changes");

    assertThat(workspace.resolve("a.txt")).hasContent(AFTER + "three\n");
  }

  @Test
  void agentWithALoopOfItsOwnAppliesThePatch() {
    var parent = kit.externalSession(Map.of("workspace", workspace.toString()));
    var task = endedTask(parent, PATCH);

    given()
        .contentType("application/json")
        .body(
            Map.of(
                "call_id", "1",
                "name", "task_apply",
                "arguments", Map.of("task_id", task.toString(), "mode", "apply")))
        .post("/v1/sessions/{id}/tool-calls", parent.toString())
        .then()
        .statusCode(200)
        .body("content", is("Applied the changes of %s:\n  modified a.txt".formatted(task)));
    assertThat(workspace.resolve("a.txt")).hasContent(AFTER);
  }

  @Test
  void conflictIsReportedWithItsLinesAndNothingIsChanged() throws Exception {
    var parent = parent();
    var task = endedTask(parent, PATCH);
    Files.writeString(workspace.resolve("a.txt"), "one\nzwei\n");

    var result = call(parent, task, "apply");

    assertThat(result.isError()).isTrue();
    assertThat(result.text())
        .startsWith("Nothing was changed, because these files conflict:\n")
        .contains("a.txt was changed at the same places (near line 1)", "-two\n+2 –");
    assertThat(workspace.resolve("a.txt")).hasContent("one\nzwei\n");
    kit.script(parent)
        .calls(
            "task_apply", Map.of("task_id", task.toString(), "mode", "apply", "skip", List.of("b")))
        .thenSays("seen");
    kit.say(parent, "Skip it.");
    kit.awaitRest(parent);
    assertThat(kit.toolResults(parent).getLast().text()).contains("it does not change b");
  }

  @Test
  void filesThatTheCallerMayNotWriteAreNamed() {
    var parent =
        kit.session(
            Map.of(
                "workspace",
                workspace.toString(),
                "permissions",
                List.of(Map.of("permission", "write", "pattern", "a.txt", "action", "deny"))),
            model -> model.saysForever("fine"));
    var task = endedTask(parent, PATCH);

    var result = call(parent, task, "apply");

    assertThat(result.isError()).isTrue();
    assertThat(result.text())
        .contains("Permission denied: this session may not use write on a.txt");
    assertThat(workspace.resolve("a.txt")).hasContent("one\ntwo\n");
  }

  @Test
  void tasksWithoutAPatchAreExplained() {
    var parent = parent();
    var other = endedTask(parent(), PATCH);
    kit.children(_ -> new Script().saysForever("done"));
    var shared = kit.submit(parent, "shared");
    kit.awaitEnd(shared);

    assertThat(call(parent, other, "apply").text()).contains("there is no task");
    assertThat(call(parent, shared, "apply").text())
        .contains("task_id: ", "worked in the workspace of its parent");
    var truncated = endedTask(parent, null);
    assertThat(call(parent, truncated, "apply").text()).contains("too large to be stored");
    given()
        .get("/v1/tasks/{id}/diff", shared.toString())
        .then()
        .statusCode(404)
        .body("detail", containsString("isolation: worktree"));
    given()
        .get("/v1/tasks/{id}/diff", truncated.toString())
        .then()
        .statusCode(404)
        .body("detail", containsString("too large"));
  }

  @Test
  void patchOfARunningTaskIsNotThereYet() {
    var gate = new Gate();
    var parent = parent();
    kit.child("slow", model -> model.at(gate).says("done"));
    var task = kit.submit(parent, "slow");
    gate.awaitArrivals(1);
    kit.tamper("update task set isolation = 'worktree' where id = ?", task.value());

    assertThat(run(parent, 1, task).text()).contains("still runs");
    given().get("/v1/tasks/{id}/diff", task.toString()).then().statusCode(409);
    kit.tamper("update task set isolation = 'shared' where id = ?", task.value());
    gate.open();
    kit.awaitEnd(task);
  }

  @Test
  void clientGetsThePatchByteByByte() {
    var parent = parent();
    var patch = new byte[] {'d', (byte) 0xe4, 0, '\r', '\n'};
    var task = endedTask(parent, patch);

    var answer = given().get("/v1/tasks/{id}/diff", task.toString());

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.contentType()).startsWith("text/x-diff");
    assertThat(answer.asByteArray()).isEqualTo(patch);
    given()
        .get("/v1/tasks/{id}", task.toString())
        .then()
        .body("changes.files[0].path", is("a.txt"))
        .body("changes.files[0].status", is("modified"))
        .body("changes.insertions", is(1))
        .body("changes.truncated", is(false))
        .body("notes", contains("Submodules were not copied."));
  }

  @Test
  void runThatHasLostItsSessionAppliesNothing() throws Exception {
    var gate = new Gate();
    var parent = parent();
    var task = endedTask(parent, PATCH);
    kit.script(parent, model -> model.at(gate).says("done"));
    kit.say(parent, "Work.");
    gate.awaitArrivals(1);
    var epoch =
        kit.row("select epoch from session where id = '" + parent.value() + "'", Long.class);

    var lost = run(parent, epoch - 1, task);
    assertThat(lost.isError()).isTrue();
    assertThat(workspace.resolve("a.txt")).hasContent("one\ntwo\n");
    assertThat(run(parent, epoch, task).text()).startsWith("Applied the changes");
    gate.open();
    kit.awaitRest(parent);
  }

  @Test
  void changedFilesAreNamedInTheNoticeAndInTheResult() throws Exception {
    var git = new ProcessBuilder("git", "init", "-q", workspace.toString()).inheritIO().start();
    assertThat(git.waitFor()).isZero();
    for (var name : List.of("b", "c")) {
      var write =
          Script.Call.of("write", Map.of("file_path", name + ".txt", "content", name + "\n"));
      kit.child("write " + name, model -> model.calls(write).says("written"));
    }
    var parent = parent();
    kit.script(parent)
        .calls(
            "task",
            Map.of(
                "description", "b",
                "prompt", "write b",
                "background", true,
                "isolation", "worktree"))
        .thenSays("delegated");

    kit.say(parent, "Go.");
    kit.awaitRest(parent);

    assertThat(kit.transcript(parent).toString())
        .contains("(+1 -0 lines); yours is unchanged:\n  added b.txt\n", "task_apply");
    assertThat(workspace.resolve("b.txt")).doesNotExist();
    assertThat(call(parent, kit.awaitTask(parent), "apply").text()).endsWith("  added b.txt");
    assertThat(workspace.resolve("b.txt")).hasContent("b\n");

    kit.post(
            Map.of(
                "parent_session_id", parent.toString(),
                "description", "c",
                "prompt", "write c",
                "isolation", "worktree"))
        .then()
        .statusCode(200)
        .body("metadata.changes.files[0].path", is("c.txt"))
        .body("metadata.changes.files[0].status", is("added"))
        .body("metadata.changes.insertions", is(1))
        .body("metadata.changes.deletions", is(0));
  }

  private ToolOutcome.Done run(SessionId session, long epoch, TaskId task) {
    var arguments =
        new ObjectMapper()
            .<ObjectNode>valueToTree(Map.of("task_id", task.toString(), "mode", "apply"));
    return (ToolOutcome.Done)
        tools.call(
            new Content.ToolCall("call", "task_apply", arguments),
            new ToolContext(session, epoch, "77.0", workspace),
            Permissions.ALL);
  }

  private SessionId parent() {
    return kit.session(
        Map.of("workspace", workspace.toString()), model -> model.saysForever("fine"));
  }

  /** A task that has ended with this patch; null when it was too large. */
  private TaskId endedTask(SessionId parent, byte @Nullable [] patch) {
    return endedTask(parent, patch, Map.of());
  }

  private TaskId endedTask(SessionId parent, byte @Nullable [] patch, Map<String, ?> fields) {
    kit.children(_ -> new Script().saysForever("done"));
    var task = kit.submit(parent, "change it", fields);
    kit.awaitEnd(task);
    kit.awaitRest(parent);
    kit.tamper("update task set isolation = 'worktree' where id = ?", task.value());
    kit.tamper(
        """
        insert into worktree_change (task_id, session_id, patch, files, insertions, deletions, truncated, notes)
        values (?, ?, ?, '[{"path": "a.txt", "status": "modified"}]', 1, 1, ?, '["Submodules were not copied."]')
        on conflict (task_id) do update set patch = excluded.patch
        """,
        task.value(),
        kit.look(task).child().value(),
        patch,
        patch == null);
    return task;
  }

  private Content.ToolResult call(SessionId parent, TaskId task, String mode) {
    kit.script(parent)
        .calls("task_apply", Map.of("task_id", task.toString(), "mode", mode))
        .thenSays("seen");
    kit.say(parent, "Use it.");
    kit.awaitRest(parent);
    return kit.toolResults(parent).getLast();
  }
}
