package dev.errand.tool.mcp;

import dev.errand.conversation.Content;
import dev.errand.conversation.SessionId;
import dev.errand.permission.Permissions;
import dev.errand.tool.Tool;
import dev.errand.tool.ToolBox;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolOutcome;
import io.quarkus.runtime.ShutdownEvent;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Servers, and a tool box that offers what they have. */
final class McpKit implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final McpServers servers = new McpServers(Map::of);
  private final ToolBox toolBox;

  McpKit(Tool... own) {
    toolBox = new ToolBox(List.of(own), List.of(servers));
  }

  McpServers servers() {
    return servers;
  }

  ToolBox toolBox() {
    return toolBox;
  }

  /** One over stdio. */
  static ServerDefinition process(String name, List<String> command) {
    var environment = Map.of("ODD_TOKEN", "secret");
    return definition(name, new ServerDefinition.Place.Command(command, environment));
  }

  static ServerDefinition definition(String name, ServerDefinition.Place place) {
    return new ServerDefinition(
        name, place, Duration.ofSeconds(10), Duration.ofSeconds(15), Optional.empty());
  }

  /** The same, less patient with calls. */
  static ServerDefinition hasty(ServerDefinition patient) {
    return new ServerDefinition(
        patient.name(),
        patient.place(),
        Duration.ofMillis(500),
        patient.startTimeout(),
        patient.only());
  }

  /** Takes the server and waits until it runs. */
  McpKit running(ServerDefinition server) {
    servers.add(server);
    await(server.name(), ServerStatus.State.RUNNING);
    return this;
  }

  void await(String server, ServerStatus.State state) {
    org.awaitility.Awaitility.await(server + " is " + state)
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(20))
        .until(() -> status(server).state() == state);
  }

  ServerStatus status(String server) {
    return servers.statuses().stream()
        .filter(status -> status.name().equals(server))
        .findFirst()
        .orElseThrow();
  }

  /** The odd servers that run; their command line is too long to be told. */
  static Stream<ProcessHandle> oddServers() {
    return ProcessHandle.current()
        .descendants()
        .filter(process -> process.info().command().orElse("").endsWith("java"));
  }

  ToolOutcome.Done call(String tool, Map<String, ?> arguments) {
    return call(tool, arguments, Permissions.ALL);
  }

  ToolOutcome.Done call(String tool, Map<String, ?> arguments, Permissions permissions) {
    var call = new Content.ToolCall("call_1", tool, OddServer.JSON.valueToTree(arguments));
    var context = new ToolContext(SessionId.next(), 1, "1.0", Path.of("."));
    return (ToolOutcome.Done) toolBox.call(call, context, permissions);
  }

  @Override
  public void close() {
    servers.stop(new ShutdownEvent());
  }
}
