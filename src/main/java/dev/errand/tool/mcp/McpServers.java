package dev.errand.tool.mcp;

import dev.errand.conversation.Word;
import dev.errand.secret.Secrets;
import dev.errand.tool.Tool;
import dev.errand.tool.ToolSource;
import dev.errand.tool.mcp.ServerDefinition.AgentMcpServer;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.configuration.ConfigurationException;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executors;
import java.util.stream.Stream;

/**
 * The MCP servers and their tools: those of the configuration, which all agents may use, and those
 * of agent files. The service starts without waiting for them; the tools of a server appear when it
 * is running. A server of an agent file is started when its agent first needs it.
 */
@Singleton
public class McpServers implements ToolSource {

  private static final String ALL_AGENTS = "";

  private final McpConfig config;
  private final Map<String, McpServer> servers = new ConcurrentSkipListMap<>();
  private volatile List<Tool> tools = List.of();

  McpServers(McpConfig config) {
    this.config = config;
  }

  void start(@Observes @Priority(10) StartupEvent start) {
    try {
      config.servers().entrySet().stream()
          .map(entry -> ServerDefinition.of(entry.getKey(), entry.getValue()))
          .toList()
          .forEach(this::add);
    } catch (IllegalArgumentException wrong) {
      throw new ConfigurationException(String.valueOf(wrong.getMessage()));
    }
  }

  /** Runs after the runs of this node have ended. */
  void stop(@Observes @Priority(60) ShutdownEvent stop) {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      servers.values().forEach(server -> threads.submit(server::stop));
    }
  }

  /**
   * Adds a server for all agents and starts it in the background.
   *
   * @throws IllegalArgumentException the name is taken
   */
  public void add(ServerDefinition definition) {
    put(new AgentMcpServer(ALL_AGENTS, definition)).start();
  }

  private McpServer put(AgentMcpServer own) {
    own.definition().place().secrets().forEach(Secrets::register);
    var server = new McpServer(own, this::collect);
    if (servers.putIfAbsent(server.name(), server) != null) {
      throw new IllegalArgumentException(
          "There are two MCP servers named '%s'.".formatted(server.name()));
    }
    return server;
  }

  /**
   * Replaces all servers of agent files by these. An unchanged server continues to run; a removed
   * or changed one is stopped, and its waiting calls fail.
   *
   * @throws IllegalArgumentException a name is taken
   */
  public void replaceOwn(List<AgentMcpServer> wanted) {
    var before = servers.values().stream().filter(server -> !server.isShared()).toList();
    var same = before.stream().map(McpServer::own).filter(wanted::contains).toList();
    before.stream()
        .filter(server -> !same.contains(server.own()))
        .forEach(server -> remove(server.name()));
    wanted.stream().filter(own -> !same.contains(own)).forEach(this::put);
  }

  /** Stops a server and removes its tools. Does nothing if there is no such server. */
  public void remove(String name) {
    var server = servers.remove(name);
    if (server != null) {
      collect();
      server.stop();
    }
  }

  @Override
  public List<Tool> tools() {
    return tools;
  }

  /** Returns the tools of these servers. */
  public List<Tool> tools(Set<String> serverNames) {
    return servers.values().stream()
        .filter(server -> serverNames.contains(server.name()))
        .flatMap(server -> server.tools().stream())
        .toList();
  }

  /** Returns the permissions that cover several tools of the servers. */
  public List<String> groups() {
    return groups(servers.keySet().stream());
  }

  /** Returns the permissions that cover several tools of servers with these names. */
  public static List<String> groups(Stream<String> servers) {
    return Stream.concat(
            Stream.of(McpTool.READ_ONLY, McpTool.CHANGES),
            servers.map(name -> McpConfig.PERMISSION + name))
        .toList();
  }

  /** Returns whether one of the servers may offer a tool of this name when it runs. */
  public boolean mayOffer(String tool) {
    var lower = tool.toLowerCase(Locale.ROOT);
    return servers.keySet().stream().anyMatch(name -> lower.startsWith(ToolNames.prefix(name)));
  }

  @Override
  public boolean hasOwn(String agent) {
    return own(agent).findAny().isPresent();
  }

  @Override
  public void prepare(String agent) {
    var own = own(agent).toList();
    own.forEach(McpServer::start);
    own.forEach(McpServer::awaitFirstStart);
  }

  private Stream<McpServer> own(String agent) {
    return servers.values().stream().filter(server -> !server.isShared() && server.isOf(agent));
  }

  @Override
  public Optional<String> whyAbsent(String name, String agent) {
    return servers.values().stream()
        .filter(server -> server.isOf(agent))
        .filter(server -> name.startsWith(ToolNames.prefix(server.name())))
        .map(McpServer::whyAbsent)
        .findFirst();
  }

  /** Returns the status of each server, sorted by name. */
  public List<ServerStatus> statuses() {
    return servers.values().stream().map(McpServer::status).toList();
  }

  private synchronized void collect() {
    tools = servers.values().stream().flatMap(server -> server.tools().stream()).toList();
  }

  /**
   * The status of a server, for operators.
   *
   * @param tools how many tools it listed last
   * @param problem why it is down; empty if it is not
   */
  public record ServerStatus(String name, ServerState state, int tools, String problem) {

    /** The availability of the server. */
    public enum ServerState implements Word {
      /** No agent has needed it yet. */
      IDLE,
      STARTING,
      RUNNING,
      DOWN
    }
  }
}
