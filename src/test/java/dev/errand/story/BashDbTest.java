package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.errand.conversation.Content;
import dev.errand.conversation.ToolDefinition;
import dev.errand.kit.Script;
import dev.errand.kit.Script.Call;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The service with {@code errand.tools.bash=enabled}. */
@QuarkusTest
@TestProfile(BashDbTest.Enabled.class)
class BashDbTest implements Story {

  /** Makes the service anew, with a shell. */
  public static final class Enabled implements QuarkusTestProfile {

    @Override
    public Map<String, String> getConfigOverrides() {
      return Map.of("errand.tools.bash", "enabled");
    }
  }

  @Inject TaskKit kit;
  @TempDir Path workspace;

  @Test
  void aModelRunsCommandsInItsWorkspace() {
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
  void aCancelledSessionsCommandIsKilled() {
    var session =
        kit.session(
            Map.of("workspace", workspace.toString()),
            model -> model.calls(bash("touch begun; sleep 2; touch survived")).thenSays("never"));
    kit.say(session, "Sleep.");
    await().until(() -> workspace.resolve("begun").toFile().exists());

    kit.cancel(session);
    kit.awaitRest(session);

    await()
        .during(Duration.ofSeconds(3))
        .atMost(Duration.ofSeconds(4))
        .until(() -> !workspace.resolve("survived").toFile().exists());
  }

  @ParameterizedTest
  @CsvSource({"general, true", "bash, true", "Shell, true", "explore, false", "plan, false"})
  void agentsThatChangeNothingHaveNoShell(String agent, boolean hasShell) {
    var child = kit.child("look", model -> model.says("seen"));

    kit.awaitEnd(kit.submit(kit.externalSession(), "look", Map.of("subagent_type", agent)));

    assertThat(offered(child).contains("bash")).isEqualTo(hasShell);
  }

  @Test
  void theShellAgentHasNothingElse() {
    var child = kit.child("run", model -> model.says("ran"));

    kit.awaitEnd(kit.submit(kit.externalSession(), "run", Map.of("subagent_type", "bash")));

    assertThat(offered(child)).containsExactly("bash");
  }

  private static Call bash(String command) {
    return Call.of("bash", Map.of("command", command));
  }

  private static List<String> offered(Script child) {
    return child.requests().getFirst().tools().stream().map(ToolDefinition::name).toList();
  }
}
