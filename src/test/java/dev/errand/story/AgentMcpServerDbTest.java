package dev.errand.story;

import static dev.errand.kit.Http.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.conversation.Content;
import dev.errand.conversation.TaskId;
import dev.errand.conversation.ToolDefinition;
import dev.errand.kit.AgentFolder;
import dev.errand.kit.Gate;
import dev.errand.kit.Script;
import dev.errand.kit.Script.Call;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.task.TaskState;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An agent file defines its own MCP server, a real process. */
@QuarkusTest
class AgentMcpServerDbTest implements Story {

  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  @Inject TaskKit kit;
  @Inject AgentFolder folder;

  @AfterEach
  void removeFiles() {
    folder.clear();
    awaitProcesses(0);
  }

  @Test
  void serverIsVisibleToItsAgentOnly() {
    define("good", "");
    var keeper = kit.child("keep", model -> model.calls(echo("hello")).says("kept"));
    var other = kit.child("look", model -> model.calls(echo("hello")).says("seen"));
    assertThat(state()).isEqualTo("idle");
    assertThat(processes()).as("no run needs the server yet").isEmpty();

    var kept = kit.awaitEnd(submitToKeeper("keep"));
    var seen = kit.awaitEnd(kit.submit(kit.externalSession(), "look"));

    assertThat(offered(keeper)).contains("own_echo", "own_fail", "read");
    assertThat(kit.toolResults(kept.child()))
        .extracting(Content.ToolResult::text)
        .containsExactly("hello");
    assertThat(offered(other)).contains("read").noneMatch(tool -> tool.startsWith("own_"));
    assertThat(kit.toolResults(seen.child()).getFirst().text())
        .startsWith("There is no tool named 'own_echo'. Known tools: ")
        .doesNotContain("own_fail");
    awaitProcesses(1);
    assertThat(get("/v1/agents/keeper").<List<String>>path("tools")).contains("own_echo");
    assertThat(get("/v1/agents/general").<List<String>>path("tools")).doesNotContain("own_echo");
  }

  @Test
  void runContinuesWhenTheServerIsKilledDuringACallAndUsesItAgain(@TempDir Path temporary) {
    define("good", "");
    var back = new Gate();
    var received = temporary.resolve("received");
    kit.child(
        "keep",
        model ->
            model
                .calls("own_never", Map.of("touch", received.toString()))
                .at(back)
                .calls(echo("hello"))
                .says("kept it"));
    var task = submitToKeeper("keep");
    await("the server has received the call").atMost(TIMEOUT).until(() -> Files.exists(received));

    processes().forEach(ProcessHandle::destroyForcibly);
    back.awaitArrivals(1);
    awaitState("running");
    back.open();
    var ended = kit.awaitEnd(task);

    var results = kit.toolResults(ended.child());
    assertThat(results).extracting(Content.ToolResult::isError).containsExactly(true, false);
    assertThat(results.getFirst().text())
        .isEqualTo(
            "The call to the MCP server 'own' failed: it exited with 137. The call may be"
                + " repeated.");
    assertThat(results.getLast().text()).isEqualTo("hello");
    assertThat(ended.state()).isEqualTo(TaskState.COMPLETED);
  }

  @Test
  void reloadKeepsTheProcessOfAnUnchangedServerAndEndsThatOfARemovedOne() {
    define("good", "");
    kit.children(_ -> new Script().calls(echo("hello")).thenSays("kept"));
    kit.awaitEnd(submitToKeeper("one"));
    var before = processes().map(ProcessHandle::pid).toList();

    folder.define("bystander");
    assertThat(processes().map(ProcessHandle::pid)).hasSize(1).containsExactlyElementsOf(before);

    folder.define("keeper");
    awaitProcesses(0);
    assertThat(state()).isNull();
    var task = kit.awaitEnd(submitToKeeper("two"));
    assertThat(kit.toolResults(task.child()).getFirst().text())
        .startsWith("There is no tool named 'own_echo'");
  }

  @Test
  void changedDefinitionReplacesTheProcess() {
    define("good", "");
    kit.children(_ -> new Script().calls(echo("hello")).thenSays("kept"));
    kit.awaitEnd(submitToKeeper("one"));
    var before = processes().map(ProcessHandle::pid).toList();

    define("good", "tools: [echo]");
    var changed = kit.child("two", model -> model.calls(echo("again")).thenSays("kept"));
    var task = kit.awaitEnd(submitToKeeper("two"));

    awaitProcesses(1);
    assertThat(processes().map(ProcessHandle::pid)).doesNotContainAnyElementsOf(before);
    assertThat(offered(changed))
        .filteredOn(tool -> tool.startsWith("own_"))
        .containsExactly("own_echo");
    assertThat(kit.toolResults(task.child()).getFirst().text()).isEqualTo("again");
  }

  @Test
  void brokenServerDoesNotBlockRuns() {
    define("exits", "");
    var keeper = kit.child("keep", model -> model.calls(echo("hello")).says("could not"));

    var task = kit.awaitEnd(submitToKeeper("keep"));

    assertThat(offered(keeper)).noneMatch(tool -> tool.startsWith("own_"));
    assertThat(kit.toolResults(task.child()).getFirst().text()).contains("The MCP server 'own' is");
    assertThat(task.state()).isEqualTo(TaskState.COMPLETED);
    await()
        .untilAsserted(() ->
            assertThat(
                    get("/q/health/well")
                        .<Map<String, Object>>path("checks.find { it.name == 'MCP servers' }.data"))
                .containsEntry("own", "down")
                .containsEntry("own.problem", "it exited with 3")
                .noneSatisfy((_, value) -> assertThat(value).asString().contains("I am exits")));
  }

  /** Defines the agent with a hand-written server; the argument selects its misbehaviour. */
  private void define(String behaviour, String more) {
    var java = ProcessHandle.current().info().command().orElseThrow();
    folder.define(
        "keeper",
        "mcpServers:",
        "  - own:",
        "      command: '" + java + "'",
        "      args: ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-cp', '%s', dev.errand.tool.mcp.OddServer, %s]"
            .formatted(System.getProperty("java.class.path"), behaviour),
        more.isEmpty() ? "" : "      " + more);
  }

  private TaskId submitToKeeper(String prompt) {
    return kit.submit(kit.externalSession(), prompt, Map.of("subagent_type", "keeper"));
  }

  private static Call echo(String text) {
    return Call.of("own_echo", Map.of("text", text));
  }

  private static List<String> offered(Script script) {
    return script.requests().getFirst().tools().stream().map(ToolDefinition::name).toList();
  }

  private static void awaitProcesses(int number) {
    await(number + " servers run").atMost(TIMEOUT).until(() -> processes().count() == number);
  }

  private static Stream<ProcessHandle> processes() {
    return ProcessHandle.current()
        .descendants()
        .filter(process -> process.info().command().orElse("").endsWith("/java"));
  }

  private static String state() {
    return get("/q/health/well").path("checks.find { it.name == 'MCP servers' }.data.own");
  }

  private static void awaitState(String state) {
    await("server is " + state)
        .atMost(TIMEOUT)
        .pollInterval(Duration.ofMillis(20))
        .until(() -> state.equals(state()));
  }
}
