package dev.errand.tool.mcp;

import dev.errand.tool.Tool;
import dev.errand.tool.ToolSource;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.configuration.ConfigurationException;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executors;

/**
 * The MCP servers and their tools: those of the configuration, which all agents have, and those of
 * agents' files. The service starts without waiting for them; a server's tools are there as soon as
 * it is. One of an agent's own is begun when the agent first needs it.
 */
@ApplicationScoped
public class McpServers implements ToolSource {

  /** What all agents have is nobody's own. */
  private static final String EVERYBODY = "";

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

  /** After the runs of this node have ended. */
  void stop(@Observes @Priority(60) ShutdownEvent stop) {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      servers.values().forEach(server -> threads.submit(server::stop));
    }
  }

  /**
   * Takes one more server and begins to start it.
   *
   * @throws IllegalArgumentException there is one of that name
   */
  public void add(ServerDefinition definition) {
    put(new AgentMcpServer(EVERYBODY, definition)).start();
  }

  private McpServer put(AgentMcpServer own) {
    var server = new McpServer(own, this::collect);
    if (servers.putIfAbsent(server.name(), server) != null) {
      throw new IllegalArgumentException(
          "There are two MCP servers named '%s'.".formatted(server.name()));
    }
    return server;
  }

  /**
   * Takes these servers in place of all that agents had of their own. One that is the same as
   * before goes on; what is gone or has changed is ended, and calls that wait for it get their
   * error.
   *
   * @throws IllegalArgumentException one has the name of another
   */
  public void replaceOwn(List<AgentMcpServer> wanted) {
    var before = servers.values().stream().filter(server -> !server.isShared()).toList();
    var same = before.stream().map(McpServer::own).filter(wanted::contains).toList();
    before.stream()
        .filter(server -> !same.contains(server.own()))
        .forEach(server -> remove(server.name()));
    wanted.stream().filter(own -> !same.contains(own)).forEach(this::put);
  }

  /** Ends a server and forgets its tools; one that there is not is no error. */
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

  /** The tools of these servers alone. */
  public List<Tool> tools(Set<String> serverNames) {
    return servers.values().stream()
        .filter(server -> serverNames.contains(server.name()))
        .flatMap(server -> server.tools().stream())
        .toList();
  }

  @Override
  public void prepare(String agent) {
    var own =
        servers.values().stream()
            .filter(server -> !server.isShared() && server.isOf(agent))
            .toList();
    own.forEach(McpServer::start);
    own.forEach(McpServer::awaitFirstStart);
  }

  @Override
  public Optional<String> whyAbsent(String name, String agent) {
    return servers.values().stream()
        .filter(server -> server.isOf(agent))
        .filter(server -> name.startsWith(ToolNames.prefix(server.name())))
        .map(McpServer::whyAbsent)
        .findFirst();
  }

  /** How each server is, by name. */
  public List<ServerStatus> statuses() {
    return servers.values().stream().map(McpServer::status).toList();
  }

  private synchronized void collect() {
    tools = servers.values().stream().flatMap(server -> server.tools().stream()).toList();
  }
}
