package dev.errand.tool.mcp;

import dev.errand.conversation.Content;
import dev.errand.conversation.SessionId;
import dev.errand.permission.Permissions;
import dev.errand.tool.Tool;
import dev.errand.tool.ToolBox;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolOutcome;
import dev.errand.tool.mcp.McpServers.ServerStatus;
import io.quarkus.runtime.ShutdownEvent;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** MCP servers and a tool box with their tools. */
final class McpKit implements AutoCloseable {

  private static final Duration LIMIT = Duration.ofSeconds(60);

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

  /** A server over stdio. */
  static ServerDefinition process(String name, List<String> command) {
    var environment = Map.of("ODD_TOKEN", "secret");
    return definition(name, new ServerDefinition.ServerAddress.Command(command, environment));
  }

  static ServerDefinition definition(String name, ServerDefinition.ServerAddress place) {
    return new ServerDefinition(name, place, Duration.ofSeconds(60), Duration.ofSeconds(60), null);
  }

  /** The same server with a short time limit for calls. */
  static ServerDefinition hasty(ServerDefinition server) {
    return new ServerDefinition(
        server.name(), server.place(), Duration.ofSeconds(2), server.startTimeout(), server.only());
  }

  /** Adds the server and waits until it is running. */
  McpKit running(ServerDefinition server) {
    servers.add(server);
    await(server.name(), ServerStatus.ServerState.RUNNING);
    return this;
  }

  void await(String server, ServerStatus.ServerState state) {
    org.awaitility.Awaitility.await(server + " is " + state)
        .atMost(LIMIT)
        .pollInterval(Duration.ofMillis(20))
        .until(() -> status(server).state() == state);
  }

  /** Waits until the server is down and returns its status then: it is soon started again. */
  ServerStatus awaitDown(String server) {
    return org.awaitility.Awaitility.await(server + " is down")
        .atMost(LIMIT)
        .pollInterval(Duration.ofMillis(20))
        .until(() -> status(server), status -> status.state() == ServerStatus.ServerState.DOWN);
  }

  ServerStatus status(String server) {
    return servers.statuses().stream()
        .filter(status -> status.name().equals(server))
        .findFirst()
        .orElseThrow();
  }

  /** The processes of the odd servers, found by their program because command lines are cut. */
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
