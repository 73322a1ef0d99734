package dev.errand.tool.mcp;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.tool.Tool;
import dev.errand.tool.ToolFailure;
import dev.errand.tool.ToolOutcome;
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
 * One server, kept running once it was begun: started, listened to, and started again when it is
 * lost, after 1 s at first and 60 s at last. Its tools stay known while it is down, so that calls
 * can say what is wrong.
 */
final class McpServer {

  private static final Logger LOG = Logger.getLogger(McpServer.class);

  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(60);
  private static final int PAUSES_DOUBLE = 6;
  private static final Duration TO_STOP = Duration.ofSeconds(5);

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final TypeReference<Map<String, Object>> MAP = new TypeReference<>() {};

  private sealed interface State {
    record Starting(CompletableFuture<Connection> opening) implements State {}

    record Running(Connection connection) implements State {}

    record Down(String reason, List<String> lastWords) implements State {}
  }

  private final AgentMcpServer own;
  private final ServerDefinition definition;
  private final Runnable changed;
  private final McpErrorText words;
  private final Thread keeper;
  private final State.Starting first = new State.Starting(new CompletableFuture<>());
  private volatile boolean begun;
  private volatile State state = first;
  private volatile List<Tool> tools = List.of();

  /**
   * @param own the server; its agent is empty when all agents have it
   * @param changed is run when it has other tools
   */
  McpServer(AgentMcpServer own, Runnable changed) {
    this.own = own;
    this.definition = own.definition();
    this.changed = changed;
    this.words = new McpErrorText(definition);
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

  /** Begins to start it, and returns. Twice is once; one that was ended stays so. */
  synchronized void start() {
    if (!begun) {
      begun = true;
      keeper.start();
    }
  }

  /** Waits until its first start has succeeded or failed; later losses hold nobody up. */
  void awaitFirstStart() {
    try {
      first.opening().get(definition.startTimeout().toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException failed) {
      LOG.debugf(failed, "MCP server %s did not start at first", name());
    }
  }

  /** Ends it for good, its process with it. */
  synchronized void stop() {
    if (!begun) {
      begun = true;
      ended();
      return;
    }
    keeper.interrupt();
    try {
      keeper.join(TO_STOP);
    } catch (InterruptedException hurried) {
      Thread.currentThread().interrupt();
    }
  }

  List<Tool> tools() {
    return tools;
  }

  ServerStatus status() {
    var known = tools.size();
    if (!begun) {
      return status(ServerStatus.State.IDLE, known);
    }
    return switch (state) {
      case State.Starting _ -> status(ServerStatus.State.STARTING, known);
      case State.Running _ -> status(ServerStatus.State.RUNNING, known);
      case State.Down down ->
          new ServerStatus(name(), ServerStatus.State.DOWN, known, down.reason(), down.lastWords());
    };
  }

  private ServerStatus status(ServerStatus.State serving, int known) {
    return new ServerStatus(name(), serving, known, "", List.of());
  }

  /** Why it has no tool that a model may have heard of. */
  String whyAbsent() {
    return switch (state) {
      case State.Starting _ -> "The MCP server '%s' is starting. Try again.".formatted(name());
      case State.Running _ -> "The MCP server '%s' has no such tool.".formatted(name());
      case State.Down down -> words.notRunning(down.reason());
    };
  }

  /**
   * Calls one of its tools. A call that comes while it starts waits for that.
   *
   * @throws ToolFailure it is down, was lost, refused the call or did not answer in time
   */
  ToolOutcome call(McpTool tool, ObjectNode arguments) {
    var connection = connection();
    try {
      return ResultText.outcome(
          connection.call(tool.remoteName(), JSON.convertValue(arguments, MAP)));
    } catch (CallFailed failed) {
      throw new ToolFailure(words.of(failed.why(), tool));
    }
  }

  private Connection connection() {
    return switch (state) {
      case State.Running running -> running.connection();
      case State.Starting starting -> awaited(starting);
      case State.Down down -> throw new ToolFailure(words.notRunning(down.reason()));
    };
  }

  private Connection awaited(State.Starting starting) {
    try {
      return starting.opening().get(definition.startTimeout().toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new ToolFailure("The call was interrupted.");
    } catch (ExecutionException | TimeoutException failed) {
      throw new ToolFailure(words.notRunning("it did not start"));
    }
  }

  private void keep() {
    try {
      for (int losses = 1; ; losses++) {
        var began = System.nanoTime();
        serve();
        if (System.nanoTime() - began > LONGEST_PAUSE.toNanos()) {
          losses = 1;
        }
        Thread.sleep(pause(losses));
      }
    } catch (InterruptedException stopping) {
      ended();
    }
  }

  private void ended() {
    state = new State.Down("it was stopped", List.of());
    first.opening().completeExceptionally(new IllegalStateException("stopped"));
  }

  private static Duration pause(int losses) {
    var doubled = Duration.ofSeconds(1L << Math.min(losses - 1, PAUSES_DOUBLE));
    return doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
  }

  /** From one start to the next loss; whatever goes wrong in between, there is a next start. */
  private void serve() throws InterruptedException {
    var starting = starting();
    state = starting;
    try (var connection = Connection.open(definition, this::listed)) {
      state = new State.Running(connection);
      starting.opening().complete(connection);
      LOG.infof("MCP server %s is running, with %d tools", name(), tools.size());
      var reason = connection.awaitLoss();
      down(reason, connection.lastWords());
    } catch (ServerDown fault) {
      down(fault.reason(), fault.lastWords());
    } catch (RuntimeException fault) {
      LOG.debugf(fault, "MCP server %s failed", name());
      down("it answered in a way we cannot read", List.of());
    } finally {
      starting.opening().completeExceptionally(new IllegalStateException("not started"));
    }
  }

  /** At the first time calls may wait for it already. */
  private State.Starting starting() {
    return state instanceof State.Starting waiting
        ? waiting
        : new State.Starting(new CompletableFuture<>());
  }

  private void down(String reason, List<String> lastWords) {
    LOG.warnf("MCP server %s is down: %s; it is started again. %s", name(), reason, lastWords);
    state = new State.Down(reason, lastWords);
  }

  private void listed(List<McpSchema.Tool> listed) {
    tools = ToolList.of(this, definition.only(), listed);
    changed.run();
  }
}
