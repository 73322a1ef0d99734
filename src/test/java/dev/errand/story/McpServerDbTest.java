package dev.errand.story;

import static dev.errand.kit.Http.get;
import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;

import dev.errand.conversation.Content;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.ToolDefinition;
import dev.errand.kit.FilesystemServer;
import dev.errand.kit.Gate;
import dev.errand.kit.Script.Call;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.task.TaskState;
import dev.errand.tool.mcp.McpServers;
import dev.errand.tool.mcp.ServerDefinition;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A child uses a real MCP server. */
@QuarkusTest
class McpServerDbTest implements Story {

  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  @TempDir Path temporary;
  @Inject TaskKit kit;
  @Inject McpServers servers;

  private Path folder;

  @BeforeEach
  void startServer() throws IOException {
    folder = temporary.toRealPath();
    Files.writeString(folder.resolve("a.txt"), "apple");
    servers.add(
        new ServerDefinition(
            "files",
            new ServerDefinition.ServerAddress.Command(unlessBlocked(folder), Map.of()),
            Duration.ofSeconds(30),
            TIMEOUT,
            null));
    awaitServer("running");
  }

  /** While the file {@link #block} exists, the server does not start. */
  private List<String> unlessBlocked(Path served) {
    var command = new ArrayList<String>();
    command.addAll(
        List.of("sh", "-c", "test -e \"$0\" && exit 137; exec \"$@\"", block().toString()));
    command.addAll(FilesystemServer.command(served));
    return command;
  }

  private Path block() {
    return folder.resolve("block");
  }

  @AfterEach
  void stopServer() {
    servers.remove("files");
  }

  @Test
  void runContinuesWhenItsServerIsKilledAndUsesItAgainAfterItsRestart() throws IOException {
    var beforeKill = new Gate();
    var back = new Gate();
    var parent = kit.session(model -> model.callsTask("read").thenSays("thanks"));
    var child =
        kit.child(
            "read",
            model ->
                model
                    .calls(readA())
                    .at(beforeKill)
                    .calls(readA())
                    .at(back)
                    .calls(readA())
                    .says("it says apple"));

    kit.say(parent, "Read it.");
    beforeKill.awaitArrivals(1);
    Files.createFile(block());
    FilesystemServer.kill(folder);
    awaitServer("down");
    beforeKill.open();
    back.awaitArrivals(1);
    Files.delete(block());
    awaitServer("running");
    back.open();
    kit.awaitRest(parent);

    assertThat(kit.toolResults(kit.childOf(parent)))
        .extracting(Content.ToolResult::isError)
        .containsExactly(false, true, false);
    assertThat(kit.toolResults(kit.childOf(parent)).get(1).text())
        .startsWith("The MCP server 'files' is not running: ")
        .endsWith(" It is being started again; the call was not made.");
    assertThat(kit.tasksOf(parent).getFirst().state()).isEqualTo(TaskState.COMPLETED);
    assertThat(kit.toolResults(parent).getFirst().text()).startsWith("it says apple");
    assertThat(child.requests()).hasSize(4);
  }

  @Test
  void exploreAgentIsOfferedReadOnlyTools() {
    var explorer = kit.child("look", model -> model.calls(writeB()).says("may not"));
    var general = kit.child("write", model -> model.calls(writeB()).says("done"));
    var parent = kit.externalSession();

    kit.awaitEnd(kit.submit(parent, "look", Map.of("subagent_type", "explore")));
    assertThat(folder.resolve("b.txt")).doesNotExist();
    kit.awaitEnd(kit.submit(parent, "write"));

    assertThat(folder.resolve("b.txt")).hasContent("banana");
    assertThat(offered(explorer.requests().getFirst().tools()))
        .contains("files_read_text_file", "files_list_directory")
        .doesNotContain("files_write_file", "files_edit_file", "files_move_file");
    assertThat(offered(general.requests().getFirst().tools())).contains("files_write_file");
    kit.awaitRest(parent);
  }

  @Test
  void rulesOfATaskApplyToTheToolsOfServers() {
    var one = kit.child("no writing", model -> model.calls(writeB()).says("may not"));
    var all = kit.child("no server", model -> model.calls(readA()).says("may not"));
    var parent = kit.externalSession();

    var first = kit.awaitEnd(kit.submit(parent, "no writing", deny("mcp__files__write_file")));
    var second = kit.awaitEnd(kit.submit(parent, "no server", deny("mcp__files__*")));

    assertThat(folder.resolve("b.txt")).doesNotExist();
    assertThat(offered(one.requests().getFirst().tools()))
        .contains("files_read_text_file")
        .doesNotContain("files_write_file");
    assertThat(offered(all.requests().getFirst().tools()))
        .contains("read")
        .noneMatch(name -> name.startsWith("files_"));
    assertThat(kit.toolResults(first.child()).getFirst().text())
        .contains("(rule: deny files_write_file on *)");
    assertThat(kit.toolResults(second.child()).getFirst().text())
        .contains("(rule: deny files_* on *)");
    given()
        .get("/v1/tasks/{id}", first.id().toString())
        .then()
        .body("tools", hasItem("files_read_text_file"))
        .body("tools", not(hasItem("files_write_file")));
  }

  private static Map<String, ?> deny(String tool) {
    var rule = Map.of("permission", tool, "pattern", "*", "action", "deny");
    return Map.of("permissions", List.of(rule));
  }

  @Test
  void agentWithALoopOfItsOwnUsesTheToolsOfAServerThatARuleNames() {
    var rule = Map.of("permission", "mcp__files__*", "pattern", "*", "action", "allow");
    var session = kit.externalSession(Map.of("permissions", List.of(rule)));
    var call =
        Map.of(
            "call_id", "1",
            "name", "files_read_text_file",
            "arguments", Map.of("path", folder + "/a.txt"));

    assertThat(offered(session)).contains("task", "files_read_text_file").doesNotContain("read");
    assertThat(offered(kit.externalSession())).doesNotContain("files_read_text_file");
    given()
        .contentType("application/json")
        .body(call)
        .post("/v1/sessions/{id}/tool-calls", session.toString())
        .then()
        .statusCode(200)
        .body("content", containsString("apple"), "is_error", is(false));
  }

  private static List<String> offered(SessionId session) {
    return given()
        .get("/v1/tools?format=mcp&session_id={id}", session.toString())
        .path("tools.name");
  }

  private Call readA() {
    return Call.of("files_read_text_file", Map.of("path", folder + "/a.txt"));
  }

  private Call writeB() {
    return Call.of("files_write_file", Map.of("path", folder + "/b.txt", "content", "banana"));
  }

  private static List<String> offered(List<ToolDefinition> tools) {
    return tools.stream().map(ToolDefinition::name).toList();
  }

  private static void awaitServer(String state) {
    await("server is " + state)
        .atMost(TIMEOUT)
        .pollInterval(Duration.ofMillis(20))
        .until(() ->
            state.equals(
                get("/q/health/well").path("checks.find { it.name == 'MCP servers' }.data.files")));
  }
}
