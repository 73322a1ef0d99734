package dev.errand.story;

import static dev.errand.kit.Http.given;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.kit.AgentFolder;
import dev.errand.kit.Gate;
import dev.errand.kit.Script.Call;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.model.ModelException.Code;
import dev.errand.task.TaskChanges;
import dev.errand.task.TaskOutcome;
import dev.errand.task.TaskState;
import dev.errand.worktree.ChangeStore;
import dev.errand.worktree.WorktreesConfig;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Children that work in copies of their parents' workspaces. */
@QuarkusTest
class WorktreeDbTest implements Story {

  private static final Map<String, ?> WORKTREE = Map.of("isolation", "worktree");

  @Inject TaskKit kit;
  @Inject AgentFolder agents;
  @Inject ChangeStore stored;
  @Inject WorktreesConfig config;
  @TempDir Path temporary;
  private Path workspace;

  @BeforeEach
  void createRepository() throws Exception {
    workspace = temporary.toRealPath();
    git("init", "-q");
    Files.writeString(workspace.resolve("a.txt"), "one\n");
    git("add", "-A");
  }

  @AfterEach
  void removeAgents() {
    agents.clear();
  }

  private void git(String... arguments) throws Exception {
    var line = new ArrayList<>(List.of("git"));
    line.addAll(List.of(arguments));
    var process = new ProcessBuilder(line).directory(workspace.toFile()).inheritIO().start();
    assertThat(process.waitFor()).isZero();
  }

  private SessionId parent() {
    return kit.externalSession(Map.of("workspace", workspace.toString()));
  }

  private static Call write(String name, String text) {
    return Call.of("write", Map.of("file_path", name, "content", text));
  }

  private Path tree(TaskId task) {
    return kit.look(kit.look(task).child()).workspace();
  }

  private Path folder(TaskId task) {
    return Objects.requireNonNull(tree(task).getParent());
  }

  private TaskChanges changes(TaskId task) {
    return Objects.requireNonNull(kit.look(task).changes());
  }

  private List<String> changed(TaskId task) {
    return changes(task).files().stream().map(file -> file.status() + " " + file.path()).toList();
  }

  private Set<Path> folders() throws IOException {
    if (!Files.isDirectory(config.dir())) {
      return Set.of();
    }
    try (var found = Files.list(config.dir().toAbsolutePath())) {
      return found.collect(Collectors.toSet());
    }
  }

  @Test
  void childrenOfOneTurnChangeTheirOwnCopiesAndThePatchesAreStored() throws Exception {
    var one = Map.of("description", "a task", "prompt", "first", "isolation", "worktree");
    var two = Map.of("description", "a task", "prompt", "second", "isolation", "worktree");
    Files.writeString(workspace.resolve("a.txt"), "uncommitted\n");
    var parent =
        kit.session(
            Map.of("workspace", workspace.toString()),
            model -> model.calls(new Call("task", one), new Call("task", two)).thenSays("over"));
    var read = Call.of("read", Map.of("file_path", "a.txt"));
    var outside = Call.of("read", Map.of("file_path", workspace.resolve("a.txt").toString()));
    for (var prompt : List.of("first", "second")) {
      kit.child(
          prompt,
          model -> model.calls(read, outside).calls(write("a.txt", prompt + "\n")).says(prompt));
    }

    kit.say(parent, "Go.");
    kit.awaitRest(parent);

    assertThat(workspace.resolve("a.txt")).hasContent("uncommitted");
    for (var task : kit.tasksOf(parent)) {
      assertThat(task.state()).isEqualTo(TaskState.COMPLETED);
      var results = kit.toolResults(task.child());
      assertThat(results.get(0).text()).contains("uncommitted");
      assertThat(results.get(1).text()).contains("outside");
      assertThat(tree(task.id()).resolve("a.txt")).hasContent(task.prompt());
      assertThat(changed(task.id())).containsExactly("modified a.txt");
      assertThat(new String(stored.patch(task.id()).orElseThrow(), UTF_8))
          .contains("-uncommitted\n+" + task.prompt() + "\n");
      given()
          .get("/v1/tasks/{id}", task.id().toString())
          .then()
          .body("isolation", equalTo("worktree"));
    }
  }

  @Test
  void everyEndStoresWhatWasDone() {
    var parent = parent();
    var gate = new Gate();
    for (var prompt : List.of("cancel me", "time out", "with my parent")) {
      kit.child(prompt, model -> model.calls(write("b.txt", "half\n")).at(gate).says("late"));
    }
    kit.child("fail", model -> model.calls(write("b.txt", "x")).fails(Code.MODEL_NOT_CONFIGURED));
    kit.child(
        "try again",
        model ->
            model
                .calls(write("b.txt", "1"))
                .failsAttempt()
                .calls(write("c.txt", "2"))
                .says("done"));

    var failed = kit.submit(parent, "fail", WORKTREE);
    var again = kit.submit(parent, "try again", WORKTREE);
    var late = kit.submit(parent, "time out", WORKTREE);
    var cancelled = kit.submit(parent, "cancel me", WORKTREE);
    var stopped = kit.submit(parent, "with my parent", WORKTREE);
    gate.awaitArrivals(3);
    kit.cancel(cancelled);
    kit.tamper("update task set deadline_at = now() where id = ?", late.value());
    assertThat(kit.awaitEnd(late).state()).isEqualTo(TaskState.TIMED_OUT);
    kit.awaitEnd(failed);
    kit.awaitEnd(again);
    kit.cancel(parent);

    assertThat(kit.awaitEnd(cancelled).state()).isEqualTo(TaskState.CANCELLED);
    assertThat(kit.awaitEnd(stopped).state()).isEqualTo(TaskState.CANCELLED);
    assertThat(kit.awaitEnd(failed).state()).isEqualTo(TaskState.FAILED);
    for (var task : List.of(failed, late, cancelled, stopped)) {
      assertThat(changed(task)).containsExactly("added b.txt");
    }
    assertThat(kit.awaitEnd(again).attempts()).isEqualTo(2);
    assertThat(changed(again)).containsExactly("added b.txt", "added c.txt");
  }

  @Test
  void continuedChildWorksInTheSameCopyUntilItIsLost() throws Exception {
    var parent = parent();
    kit.child(
        "begin",
        model ->
            model.calls(write("b.txt", "1\n")).says("b").calls(write("c.txt", "2\n")).says("c"));
    var first = kit.submit(parent, "begin", WORKTREE);
    kit.awaitEnd(first);
    var child = kit.look(first).child().toString();

    var second = kit.submit(parent, "go on", Map.of("session_id", child));
    kit.awaitEnd(second);

    assertThat(changed(first)).containsExactly("added b.txt");
    assertThat(changed(second)).containsExactly("added b.txt", "added c.txt");
    var fields = new HashMap<String, Object>(Map.of("session_id", child, "isolation", "shared"));
    fields.putAll(
        Map.of("parent_session_id", parent.toString(), "description", "d", "prompt", "p"));
    kit.post(fields).then().statusCode(400).body("errors[0].field", equalTo("isolation"));
    var folder = folder(first);
    delete(folder);
    var third = kit.submit(parent, "again", Map.of("session_id", child));
    var error = kit.awaitEnd(third).outcome().orElseThrow().error();
    assertThat(error).extracting(TaskOutcome.Error::code).isEqualTo("workspace_lost");
    assertThat(changes(third).unavailable()).isTrue();
    assertThat(folder).doesNotExist();
  }

  @Test
  void aPrivateAgentWorksInACopyIfItsFileSaysSo() {
    agents.write(
        "primary/solo.md",
        "---\nname: solo\ndescription: Works alone.\nisolation: worktree\n---\nYou work alone.\n");
    agents.reload().then().statusCode(200);
    kit.child("alone", model -> model.calls(write("b.txt", "b\n")).says("ok"));

    var task = kit.submit(parent(), "alone", Map.of("subagent_type", "solo"));
    kit.awaitEnd(task);

    assertThat(changed(task)).containsExactly("added b.txt");
    assertThat(workspace.resolve("b.txt")).doesNotExist();
  }

  @Test
  void aChildInACopyHandsACopyOfItToItsOwnChild() {
    agents.define("lead", "subagents: [general]", "isolation: worktree");
    var below = Map.of("description", "d", "prompt", "below", "isolation", "worktree");
    kit.child(
        "lead",
        model -> model.calls(write("b.txt", "b\n")).calls(new Call("task", below)).says("ok"));
    kit.child(
        "below",
        model ->
            model
                .calls(Call.of("read", Map.of("file_path", "b.txt")))
                .calls(write("b.txt", "below\n"))
                .says("done"));
    var parent = parent();

    var task = kit.submit(parent, "lead", Map.of("subagent_type", "lead"));
    var lead = kit.awaitEnd(task).child();

    assertThat(changed(task)).containsExactly("added b.txt");
    assertThat(tree(task).resolve("b.txt")).hasContent("b");
    var nested = kit.tasksOf(lead).getFirst();
    assertThat(changed(nested.id())).containsExactly("modified b.txt");
    assertThat(folder(nested.id()).resolveSibling(task.toString())).isEqualTo(folder(task));
    var fields =
        Map.of(
            "parent_session_id", parent.toString(),
            "description", "d",
            "prompt", "p",
            "subagent_type", "lead",
            "isolation", "shared");
    kit.post(fields)
        .then()
        .statusCode(400)
        .body("errors[0].field", equalTo("isolation"))
        .body("errors[0].message", containsString("lead always works in a worktree"));
  }

  @Test
  void aChildInACopyMayShareItWithItsOwnChild() {
    agents.define("lead", "subagents: [general]", "isolation: worktree");
    kit.child(
        "lead",
        model ->
            model
                .calls(write("b.txt", "of lead\n"))
                .calls("task", Map.of("description", "d", "prompt", "below"))
                .thenSays("ok"));
    kit.child(
        "below",
        model ->
            model
                .calls(Call.of("read", Map.of("file_path", "b.txt")))
                .calls(write("c.txt", "c\n"))
                .says("done"));

    var task = kit.submit(parent(), "lead", Map.of("subagent_type", "lead"));
    var lead = kit.awaitEnd(task).child();

    var below = kit.tasksOf(lead).getFirst();
    assertThat(below.state()).isEqualTo(TaskState.COMPLETED);
    assertThat(kit.toolResults(below.child()).getFirst().text()).contains("of lead");
    assertThat(kit.look(below.child()).workspace()).isEqualTo(tree(task));
    assertThat(changed(task)).containsExactly("added b.txt", "added c.txt");
    assertThat(workspace.resolve("c.txt")).doesNotExist();
  }

  @Test
  void copyThatIsNotPossibleIsRefusedAndLeavesNothing() throws Exception {
    var before = folders();
    delete(workspace.resolve(".git"));
    var parent = parent();
    var fields =
        Map.of(
            "parent_session_id", parent.toString(),
            "description", "d",
            "prompt", "p",
            "isolation", "worktree");

    kit.post(fields)
        .then()
        .statusCode(400)
        .body("errors[0].field", equalTo("isolation"))
        .body("errors[0].message", containsString("is not in a git repository"));

    git("init", "-q");
    kit.post(
            Map.of(
                "parent_session_id",
                parent.toString(),
                "description",
                "d",
                "prompt",
                "p",
                "isolation",
                "worktree",
                "subagent_type",
                "nobody"))
        .then()
        .statusCode(400)
        .body("errors[0].field", equalTo("subagent_type"));
    assertThat(before).containsAll(folders());
  }

  @Test
  void repeatedRequestMakesOneCopyAndTheCopyBelongsToItsTask() throws Exception {
    var before = folders();
    kit.child("once", model -> model.says("done"));
    var body =
        Map.of(
            "parent_session_id", parent().toString(),
            "description", "d",
            "prompt", "once",
            "background", true,
            "isolation", "worktree");

    var ids =
        List.of(1, 2).stream()
            .map(_ ->
                given()
                    .contentType("application/json")
                    .header("Idempotency-Key", workspace.toString())
                    .body(body)
                    .post("/v1/tasks")
                    .then()
                    .statusCode(202)
                    .extract()
                    .<String>path("metadata.task_id"))
            .collect(Collectors.toSet());

    assertThat(ids).hasSize(1);
    var task = TaskId.parse(ids.iterator().next()).orElseThrow();
    kit.awaitEnd(task);
    assertThat(folders()).filteredOn(folder -> !before.contains(folder)).hasSize(1);
    assertThat(changes(task).files()).isEmpty();
    given()
        .contentType("application/json")
        .body(Map.of("workspace", tree(task).toString()))
        .post("/v1/sessions")
        .then()
        .statusCode(400)
        .body("errors[0].field", equalTo("workspace"));
  }

  @Test
  void foldersGoWithTranscriptsAndSessionsAndThePatchesStay() throws Exception {
    for (var prompt : List.of("delete", "keep")) {
      kit.child(prompt, model -> model.calls(write("b.txt", "b\n")).says("done"));
    }
    var parent = parent();
    var deleted =
        kit.submit(parent, "delete", Map.of("isolation", "worktree", "cleanup", "delete"));
    var kept = kit.submit(parent, "keep", WORKTREE);
    var first = folder(deleted);
    var second = folder(kept);
    kit.awaitEnd(deleted);
    kit.awaitEnd(kept);
    var stray =
        Files.createDirectories(config.dir().toAbsolutePath().resolve(TaskId.next().toString()));
    var longAgo = FileTime.fromMillis(0);
    Files.setLastModifiedTime(stray, longAgo);
    Files.setLastModifiedTime(second, longAgo);

    given().post("/v1/tasks/{id}/ack", deleted.toString()).then().statusCode(200);
    await().until(() -> Files.notExists(first) && Files.notExists(stray));

    assertThat(second).exists();
    assertThat(stored.patch(deleted)).isPresent();
    var child = kit.look(kept).child();
    kit.awaitDelivery(kept);
    given().delete("/v1/sessions/{id}", child.toString()).then().statusCode(204);
    await().until(() -> Files.notExists(second));
    await()
        .until(() ->
            kit.row(
                    "select count(*) from worktree where task_id in ('%s', '%s')"
                        .formatted(deleted.value(), kept.value()),
                    Integer.class)
                == 0);
  }

  private static void delete(Path folder) throws IOException {
    try (var walk = Files.walk(folder)) {
      for (var path : walk.toList().reversed()) {
        Files.delete(path);
      }
    }
  }
}
