package dev.errand.tool.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.kit.EndpointModels;
import dev.errand.kit.Story;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.Call;
import dev.errand.kit.StubEndpoint.ModelCall;
import dev.errand.kit.TaskKit;
import dev.errand.task.Task;
import dev.errand.task.TaskState;
import dev.errand.tool.mcp.McpServers.ServerStatus;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests with the tools of odd MCP servers, to endpoints that refuse what providers refuse. */
@QuarkusTest
class OfferedToolsDbTest implements Story {

  private static final Duration LIMIT = Duration.ofSeconds(60);

  @Inject TaskKit kit;
  @Inject EndpointModels endpoints;
  @Inject McpServers servers;

  private final Queue<Answer> answers = new ArrayDeque<>();
  private final List<ModelCall> calls = new CopyOnWriteArrayList<>();
  private final List<String> started = new ArrayList<>();

  @BeforeEach
  void answerInOrder() {
    endpoints.answer(call -> {
      calls.add(call);
      return answers.remove();
    });
  }

  @AfterEach
  void stopServers() {
    started.forEach(servers::remove);
  }

  @ParameterizedTest
  @ValueSource(strings = {EndpointModels.OPENAI, EndpointModels.ANTHROPIC})
  void schemasThatProvidersRefuseAreMendedAndTheServerGetsItsOwnFields(String model) {
    start("odd", "strict");
    answers.add(
        Answer.calls(
            new Call("call_1", "odd_tag", Map.of("texts", List.of("a"))),
            new Call("call_2", "odd_union", Map.of("url", "ftp://x")),
            new Call("call_3", "odd_odata", Map.of("$top", 1)),
            new Call("call_4", "odd_odata", Map.of("text", "x".repeat(4_001)))));
    answers.add(Answer.says("done"));

    var task = run(model);

    assertThat(endpoints.errors()).isEmpty();
    assertThat(task.outcome().orElseThrow().state()).isEqualTo(TaskState.COMPLETED);
    assertThat(ofServer(calls.getFirst().tools(), "odd")).hasSize(8);
    assertThat(kit.toolResults(task.child()))
        .extracting(result -> result.text())
        .satisfiesExactlyInAnyOrder(
            tag -> assertThat(tag).isEqualTo("{\"texts\":[\"a\"]}"),
            union -> assertThat(union).startsWith("Invalid arguments for odd_union"),
            named -> assertThat(named).isEqualTo("{\"$top\":1}"),
            tooLong -> assertThat(tooLong).contains("text: must have at most 4000 characters"));
  }

  @Test
  void toolsBeyondTheLimitOfTheModelAreLeftOut() {
    start("one", "many");
    start("two", "many");
    answers.add(Answer.says("done"));

    var task = run(EndpointModels.OPENAI);

    assertThat(endpoints.errors()).isEmpty();
    assertThat(task.outcome().orElseThrow().state()).isEqualTo(TaskState.COMPLETED);
    var tools = calls.getFirst().tools();
    assertThat(tools).hasSize(128).contains("edit", "read", "webfetch", "write", "one_tool100");
    assertThat(ofServer(tools, "two")).isEmpty();
    assertThat(tools).isSorted();
  }

  private static List<String> ofServer(List<String> tools, String server) {
    return tools.stream().filter(tool -> tool.startsWith(server + "_")).toList();
  }

  private void start(String name, String mode) {
    servers.add(McpKit.process(name, OddServer.command(mode)));
    started.add(name);
    await()
        .atMost(LIMIT)
        .until(() ->
            servers.statuses().stream()
                .anyMatch(server ->
                    server.name().equals(name)
                        && server.state() == ServerStatus.ServerState.RUNNING));
  }

  private Task run(String model) {
    return kit.awaitEnd(kit.submit(kit.externalSession(), "dig", Map.of("model", model)));
  }
}
