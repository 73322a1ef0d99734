package dev.errand.story;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.not;

import dev.errand.conversation.Content;
import dev.errand.conversation.ToolDefinition;
import dev.errand.kit.EventClient;
import dev.errand.kit.Http;
import dev.errand.kit.Scarce;
import dev.errand.kit.Script;
import dev.errand.kit.Script.Call;
import dev.errand.kit.SkillKit;
import dev.errand.kit.TaskKit;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The service with {@code errand.tools.bash=enabled}. */
@QuarkusTest
@TestProfile(Scarce.class)
class BashDbTest implements BashCommands {

  private static final String NAP = "6%d.25".formatted(ProcessHandle.current().pid());

  private static final String COUNT =
      "echo one; until [ -e two ]; do sleep 0.05; done; echo two; until [ -e three ]; do sleep 0.05; done";

  @Inject TaskKit kit;
  @Inject SkillKit skills;
  @TempDir Path workspace;

  @Test
  void modelRunsCommandsInItsWorkspace() {
    var session =
        kit.session(
            Map.of("workspace", workspace.toString()),
            model ->
                model.calls(bash("echo hello > note.txt; cat note.txt; false")).thenSays("done"));

    kit.say(session, "Write.");
    kit.awaitRest(session);

    assertThat(kit.toolResults(session))
        .extracting(Content.ToolResult::text, Content.ToolResult::isError)
        .containsExactly(tuple("hello\n(exit code 1)", true));
    assertThat(workspace.resolve("note.txt")).hasContent("hello");
  }

  @Test
  void commandOfACancelledSessionIsKilled() {
    var session =
        kit.session(
            Map.of("workspace", workspace.toString()),
            model ->
                model
                    .calls(bash("touch begun; sleep %s; touch survived".formatted(NAP)))
                    .thenSays("never"));
    kit.say(session, "Sleep.");
    await().until(() -> workspace.resolve("begun").toFile().exists());

    await().until(() -> napping() > 0);
    kit.cancel(session);
    kit.awaitRest(session);

    await().until(() -> napping() == 0);
    assertThat(workspace.resolve("survived")).doesNotExist();
  }

  @Test
  void outputOfALongCommandIsStreamedWhileItRuns() throws Exception {
    var session =
        kit.session(
            Map.of("workspace", workspace.toString()),
            model -> model.calls(bash(COUNT), bash("echo short")).thenSays("done"));
    try (var stream =
        EventClient.follow(Http.uri("/v1/sessions/" + session + "/events?tree=true"))) {
      await().until(() -> stream.connections() == 1);
      var from = System.nanoTime();
      kit.say(session, "Count.");
      await().until(() -> progress(stream).contains("one\n"));
      assertThat(kit.toolResults(session)).isEmpty();
      Files.createFile(workspace.resolve("two"));
      await().until(() -> progress(stream).getLast().startsWith("one\ntwo\n"));
      Files.createFile(workspace.resolve("three"));
      kit.awaitRest(session);
      await().until(() -> stream.received().stream().anyMatch(BashDbTest::isLast));

      assertThat(progress(stream)).first().isEqualTo("one\n");
      assertThat(progress(stream))
          .as("one report a second")
          .hasSizeLessThanOrEqualTo((int) ((System.nanoTime() - from) / 1_000_000_000));
      var types = stream.types();
      assertThat(types.lastIndexOf("tool.progress")).isLessThan(types.lastIndexOf("tool.ended"));
    }

    var stored =
        kit.row(
            "select count(*) from event where type = 'tool.progress' and session_id = '%s'"
                .formatted(session.value()),
            Long.class);
    assertThat(stored).isEqualTo(1);
  }

  /** The processes of {@link #NAP}, whatever other tests of this machine do. */
  private static long napping() {
    return ProcessHandle.allProcesses()
        .filter(process -> process.info().commandLine().orElse("").endsWith("sleep " + NAP))
        .count();
  }

  private static List<String> progress(EventClient stream) {
    return stream.received().stream()
        .filter(event -> event.type().equals("tool.progress"))
        .map(event -> event.data().get("output").asText())
        .toList();
  }

  private static boolean isLast(EventClient.Received event) {
    return event.type().equals("session.state")
        && event.data().get("state").asText().equals("idle");
  }

  @ParameterizedTest
  @CsvSource({"general, true", "bash, true", "Shell, true", "explore, true", "plan, false"})
  void agentsThatAreMeantToHaveAShellHaveOne(String agent, boolean hasShell) {
    var child = kit.child("look", model -> model.says("seen"));

    kit.awaitEnd(kit.submit(kit.externalSession(), "look", Map.of("subagent_type", agent)));

    assertThat(offered(child).contains("bash")).isEqualTo(hasShell);
  }

  /** The tools where a shell is enabled; {@code CommandsDbTest} covers the service without one. */
  @ParameterizedTest
  @CsvSource({
    "primary, bash edit glob grep list message read skill spawn task task_apply task_cancel"
        + " task_list task_output todoread todowrite webfetch write",
    "general, bash edit glob grep list read skill webfetch write",
    "explore, bash glob grep list read skill webfetch",
    "plan, glob grep list read skill webfetch",
    "bash, bash",
    "skill, bash edit glob grep list read skill skill_search skill_write task task_apply task_cancel task_list task_output webfetch write"
  })
  void builtInAgentsHaveTheirTools(String agent, String tools) {
    skills.define("pdf", "Reads PDF files.", "Use the tool.");

    var found =
        given().get("/v1/agents/{name}", agent).then().extract().<List<String>>path("tools");

    assertThat(found).filteredOn(name -> !name.equals("stall")).containsExactly(tools.split(" "));
  }

  @Test
  void descriptionOfBashNamesTheCommandsInAdditionToTheShell() {
    var parent = kit.session(model -> model.says("hello"));
    kit.say(parent, "Hi.");
    kit.awaitRest(parent);

    assertThat(kit.requests(parent).getFirst().tools())
        .filteredOn(tool -> tool.name().equals("bash"))
        .singleElement()
        .satisfies(tool -> {
          assertThat(tool.description()).startsWith("Runs a shell command");
          assertThat(tool.parameters().at("/properties/command/description").asText())
              .contains("task:explore", "task:skill:search")
              .endsWith("Nothing is expanded.");
        });
  }

  @Test
  void bashAgentHasNoOtherTools() {
    var child = kit.child("run", model -> model.says("ran"));

    kit.awaitEnd(kit.submit(kit.externalSession(), "run", Map.of("subagent_type", "bash")));

    assertThat(offered(child)).containsExactly("bash");
  }

  @Test
  void explorerHasAReadOnlyShell() {
    var child =
        kit.child(
            "explore it",
            model -> model.calls(bash("echo new > found.txt"), bash("pwd")).thenSays("seen"));
    var parent = kit.externalSession(Map.of("workspace", workspace.toString()));

    var task = kit.awaitEnd(kit.submit(parent, "explore it", Map.of("subagent_type", "explore")));

    assertThat(kit.toolResults(task.child()))
        .extracting(Content.ToolResult::text)
        .satisfiesExactly(
            first -> assertThat(first).contains("Read-only file system"),
            second -> assertThat(second).contains("(exit code 0)"));
    assertThat(workspace.resolve("found.txt")).doesNotExist();
    assertThat(offered(child)).contains("bash");
  }

  @Test
  void childThatMayNeitherWriteNorEditHasAReadOnlyShell() {
    var child =
        kit.child(
            "look around",
            model ->
                model
                    .calls(bash("echo new > note.txt"), bash("ls > /dev/null && echo listed"))
                    .thenSays("seen"));
    var parent = kit.externalSession(Map.of("workspace", workspace.toString()));
    var rules =
        List.of(
            Map.of("permission", "write", "pattern", "*", "action", "deny"),
            Map.of("permission", "edit", "pattern", "*", "action", "deny"));

    var task = kit.awaitEnd(kit.submit(parent, "look around", Map.of("permissions", rules)));

    assertThat(kit.toolResults(task.child()))
        .extracting(Content.ToolResult::text)
        .satisfiesExactly(
            first -> assertThat(first).contains("Read-only file system", "(exit code 1)"),
            second -> assertThat(second).isEqualTo("listed\n(exit code 0)"));
    assertThat(workspace.resolve("note.txt")).doesNotExist();
    assertThat(offered(child)).contains("bash").doesNotContain("write", "edit");
    given()
        .get("/v1/tasks/{id}", task.id().toString())
        .then()
        .body("tools", hasItem("bash"))
        .body("tools", not(hasItem("write")));
  }

  @Test
  void bashAgentChangesFilesUnlessItsParentMayNot() {
    kit.child("make", model -> model.calls(bash("echo new > made.txt")).thenSays("made"));
    kit.child("make again", model -> model.calls(bash("echo new > again.txt")).thenSays("made"));
    var fields = Map.of("subagent_type", "bash");
    var rule = Map.of("permission", "*", "pattern", "*", "action", "deny");
    var free = kit.externalSession(Map.of("workspace", workspace.toString()));
    var bound =
        kit.externalSession(
            Map.of(
                "workspace",
                workspace.toString(),
                "permissions",
                List.of(rule, allow("bash"), allow("task"))));

    kit.awaitEnd(kit.submit(free, "make", fields));
    kit.awaitEnd(kit.submit(bound, "make again", fields));

    assertThat(workspace.resolve("made.txt")).hasContent("new");
    assertThat(workspace.resolve("again.txt")).doesNotExist();
  }

  private static Map<String, String> allow(String permission) {
    return Map.of("permission", permission, "pattern", "*", "action", "allow");
  }

  private static Call bash(String command) {
    return Call.of("bash", Map.of("command", command));
  }

  private static List<String> offered(Script child) {
    return child.requests().getFirst().tools().stream().map(ToolDefinition::name).toList();
  }
}
