package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.ToolDefinition;
import dev.errand.kit.Script;
import dev.errand.kit.Script.Call;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Permissions of a parent apply to its children. */
@QuarkusTest
class PermissionsDbTest implements Story {

  private static final List<String> NOT_FOR_CHILDREN =
      List.of("todowrite", "todoread", "task", "task_output", "task_cancel", "spawn", "message");

  @Inject TaskKit kit;
  @TempDir Path workspace;

  @Test
  void ruleOfTheParentAppliesToTheChild() {
    var child = writer("deny me");
    var parent = parent(Map.of("permission", "write", "pattern", "*", "action", "deny"), "deny me");

    kit.say(parent, "Write.");
    kit.awaitRest(parent);

    assertThat(offered(child)).contains("read").doesNotContain("write");
    assertThat(kit.toolResults(kit.childOf(parent)))
        .singleElement()
        .satisfies(
            result -> assertThat(result.isError()).isTrue(),
            result -> assertThat(result.text()).startsWith("Permission denied"));
    assertThat(workspace.resolve("note.txt")).doesNotExist();
  }

  @Test
  void childWritesWithoutADenyingRule() {
    var child = writer("let me");
    var parent = parent(Map.of("permission", "write", "pattern", "*", "action", "allow"), "let me");

    kit.say(parent, "Write.");
    kit.awaitRest(parent);

    assertThat(offered(child)).contains("write");
    assertThat(workspace.resolve("note.txt")).hasContent("hello");
  }

  @Test
  void ruleForPathsAppliesToTheChildInEverySpelling() throws Exception {
    Files.createDirectory(workspace.resolve("secret"));
    Files.writeString(workspace.resolve("secret/key"), "hunter2");
    kit.child(
        "peek",
        model ->
            model
                .calls(
                    Call.of("read", Map.of("file_path", "secret/key")),
                    Call.of("read", Map.of("file_path", "./secret/../secret/key")),
                    Call.of("read", Map.of("file_path", workspace + "/secret/key")))
                .thenSays("nothing"));
    var parent =
        parent(Map.of("permission", "read", "pattern", "secret/*", "action", "deny"), "peek");

    kit.say(parent, "Peek.");
    kit.awaitRest(parent);

    assertThat(kit.toolResults(kit.childOf(parent)))
        .hasSize(3)
        .allSatisfy(result -> assertThat(result.text()).startsWith("Permission denied"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"general", "explore", "plan"})
  void childIsNotOfferedToolsOfParents(String agent) {
    var child = kit.child("look", model -> model.says("seen"));

    kit.awaitEnd(kit.submit(kit.externalSession(), "look", Map.of("subagent_type", agent)));

    assertThat(offered(child)).contains("read").doesNotContainAnyElementsOf(NOT_FOR_CHILDREN);
  }

  @Test
  void delegationOfAChildIsRefusedAndTheChildContinues() {
    kit.child("delegate", model -> model.callsTask("not mine").thenSays("did it myself"));

    var task = kit.awaitEnd(kit.submit(kit.externalSession(), "delegate"));

    assertThat(task.outcome().orElseThrow().result()).isEqualTo("did it myself");
    assertThat(kit.toolResults(task.child()).getFirst().text()).startsWith("Permission denied");
    assertThat(kit.tasksOf(task.child())).isEmpty();
  }

  @Test
  void exploreAgentIsOfferedNeitherWriteNorEdit() {
    var child = kit.child("look", model -> model.says("seen"));

    kit.awaitEnd(kit.submit(kit.externalSession(), "look", Map.of("subagent_type", "Explore")));

    assertThat(offered(child)).contains("grep").doesNotContain("write", "edit");
  }

  private Script writer(String prompt) {
    return kit.child(
        prompt,
        model ->
            model
                .calls("write", Map.of("file_path", "note.txt", "content", "hello"))
                .thenSays("done"));
  }

  private SessionId parent(Map<String, String> rule, String prompt) {
    return kit.session(
        Map.of("workspace", workspace.toString(), "permissions", List.of(rule)),
        model -> model.callsTask(prompt).thenSays("over"));
  }

  private static List<String> offered(Script child) {
    return child.requests().getFirst().tools().stream().map(ToolDefinition::name).toList();
  }
}
