package dev.errand.tool.mcp;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.secret.Secrets;
import dev.errand.tool.Tool;
import dev.errand.tool.ToolFailure;
import dev.errand.tool.ToolOutcome;
import dev.errand.tool.mcp.McpErrors.CallFailed;
import dev.errand.tool.mcp.McpErrors.McpErrorText;
import dev.errand.tool.mcp.McpErrors.ServerDown;
import dev.errand.tool.mcp.McpServers.ServerStatus;
import dev.errand.tool.mcp.ServerDefinition.AgentMcpServer;
import io.modelcontextprotocol.spec.McpSchema;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jboss.logging.Logger;

/**
 * A server that is kept running after its first start: when it is lost, it is started again, after
 * 1 s at first and up to 60 s later. Its tools stay known while it is down, so that calls can
 * report what is wrong.
 */
final class McpServer {

  private static final Logger LOG = Logger.getLogger(McpServer.class);

  private static final Duration MAX_PAUSE = Duration.ofSeconds(60);
  private static final int MAX_DOUBLINGS = 6;
  private static final Duration STOP_LIMIT = Duration.ofSeconds(5);

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final TypeReference<Map<String, Object>> MAP = new TypeReference<>() {};

  private sealed interface ServerConnection {
    record Starting(CompletableFuture<Connection> opening) implements ServerConnection {}

    record Running(Connection connection) implements ServerConnection {}

    record Down(String reason) implements ServerConnection {}
  }

  private final AgentMcpServer own;
  private final ServerDefinition definition;
  private final Runnable changed;
  private final McpErrorText errorText;
  private final Thread keeper;
  private final ServerConnection.Starting first =
      new ServerConnection.Starting(new CompletableFuture<>());
  private volatile boolean begun;
  private volatile ServerConnection state = first;
  private volatile List<Tool> tools = List.of();

  /**
   * @param own the server; its agent is empty if all agents may use it
   * @param changed is run when the tools of the server change
   */
  McpServer(AgentMcpServer own, Runnable changed) {
    this.own = own;
    this.definition = own.definition();
    this.changed = changed;
    this.errorText = new McpErrorText(definition);
    this.keeper = Thread.ofVirtual().name("mcp-" + definition.name()).unstarted(this::keep);
  }

  String name() {
    return definition.name();
  }

  AgentMcpServer own() {
    return own;
  }

  boolean isShared() {
    return own.agent().isEmpty();
  }

  boolean isOf(String agent) {
    return isShared() || own.agent().equals(agent);
  }

  /** Starts the server in the background. Idempotent; a stopped server stays stopped. */
  synchronized void start() {
    if (!begun) {
      begun = true;
      keeper.start();
    }
  }

  /** Waits until the first start has succeeded or failed; does not wait for later restarts. */
  void awaitFirstStart() {
    try {
      first.opening().get(definition.startTimeout().toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException failed) {
      LOG.debugf(failed, "MCP server %s did not start", name());
    }
  }

  /** Stops the server permanently, and its process. */
  synchronized void stop() {
    if (!begun) {
      begun = true;
      markStopped();
      return;
    }
    keeper.interrupt();
    try {
      keeper.join(STOP_LIMIT);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  List<Tool> tools() {
    return tools;
  }

  ServerStatus status() {
    var known = tools.size();
    if (!begun) {
      return status(ServerStatus.ServerState.IDLE, known);
    }
    return switch (state) {
      case ServerConnection.Starting _ -> status(ServerStatus.ServerState.STARTING, known);
      case ServerConnection.Running _ -> status(ServerStatus.ServerState.RUNNING, known);
      case ServerConnection.Down down ->
          new ServerStatus(
              name(), ServerStatus.ServerState.DOWN, known, Secrets.masked(down.reason()));
    };
  }

  private ServerStatus status(ServerStatus.ServerState current, int known) {
    return new ServerStatus(name(), current, known, "");
  }

  /** Explains to a model why a tool of this server does not exist. */
  String whyAbsent() {
    return switch (state) {
      case ServerConnection.Starting _ ->
          "The MCP server '%s' is starting. Try again.".formatted(name());
      case ServerConnection.Running _ -> "The MCP server '%s' has no such tool.".formatted(name());
      case ServerConnection.Down down -> errorText.notRunning(down.reason());
    };
  }

  /**
   * Calls a tool. A call during a start waits until the server is running.
   *
   * @throws ToolFailure the server is down, was lost, refused the call or did not answer in time
   */
  ToolOutcome call(McpTool tool, ObjectNode arguments) {
    var connection = connection();
    try {
      return ResultText.outcome(
          connection.call(tool.remoteName(), JSON.convertValue(arguments, MAP)));
    } catch (CallFailed failed) {
      throw new ToolFailure(errorText.of(failed.why(), tool));
    }
  }

  private Connection connection() {
    return switch (state) {
      case ServerConnection.Running running -> running.connection();
      case ServerConnection.Starting starting -> await(starting);
      case ServerConnection.Down down -> throw new ToolFailure(errorText.notRunning(down.reason()));
    };
  }

  private Connection await(ServerConnection.Starting starting) {
    try {
      return starting.opening().get(definition.startTimeout().toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new ToolFailure("The call was interrupted.");
    } catch (ExecutionException | TimeoutException failed) {
      throw new ToolFailure(errorText.notRunning("it did not start"));
    }
  }

  private void keep() {
    try {
      for (int losses = 1; ; losses++) {
        var began = System.nanoTime();
        serve();
        if (System.nanoTime() - began > MAX_PAUSE.toNanos()) {
          losses = 1;
        }
        Thread.sleep(pause(losses));
      }
    } catch (InterruptedException stopping) {
      markStopped();
    }
  }

  private void markStopped() {
    state = new ServerConnection.Down("it was stopped");
    first.opening().completeExceptionally(new IllegalStateException("stopped"));
  }

  private static Duration pause(int losses) {
    var doubled = Duration.ofSeconds(1L << Math.min(losses - 1, MAX_DOUBLINGS));
    return doubled.compareTo(MAX_PAUSE) < 0 ? doubled : MAX_PAUSE;
  }

  /** Starts the server and returns after it is lost; never throws a failure of the server. */
  private void serve() throws InterruptedException {
    var starting = starting();
    state = starting;
    try (var connection = Connection.open(definition, this::listed)) {
      state = new ServerConnection.Running(connection);
      starting.opening().complete(connection);
      LOG.infof("MCP server %s is running, with %d tools", name(), tools.size());
      var reason = connection.awaitLoss();
      down(reason, connection.stderrTail());
    } catch (ServerDown fault) {
      down(fault.reason(), fault.stderrTail());
    } catch (RuntimeException fault) {
      LOG.debugf(fault, "MCP server %s failed", name());
      down(McpErrors.UNREADABLE, List.of());
    } finally {
      starting.opening().completeExceptionally(new IllegalStateException("not started"));
    }
  }

  /** Calls may already wait for the first start. */
  private ServerConnection.Starting starting() {
    return state instanceof ServerConnection.Starting waiting
        ? waiting
        : new ServerConnection.Starting(new CompletableFuture<>());
  }

  private void down(String reason, List<String> stderrTail) {
    LOG.warnf(
        "MCP server %s is down: %s. It will be started again. %s", name(), reason, stderrTail);
    state = new ServerConnection.Down(reason);
  }

  private void listed(List<McpSchema.Tool> listed) {
    tools = ToolList.of(this, definition.only(), listed);
    changed.run();
  }
}
