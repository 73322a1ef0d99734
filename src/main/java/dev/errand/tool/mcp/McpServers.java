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
 * The MCP servers and their tools. The service starts without waiting for them; a server's tools
 * are there as soon as it is.
 */
@ApplicationScoped
public class McpServers implements ToolSource {

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
    var server = new McpServer(definition, this::collect);
    if (servers.putIfAbsent(definition.name(), server) != null) {
      throw new IllegalArgumentException(
          "There are two MCP servers named '%s'.".formatted(definition.name()));
    }
    server.start();
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
  public Optional<String> whyAbsent(String name) {
    return servers.values().stream()
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
