package dev.errand.ops;

import dev.errand.tool.mcp.McpServers;
import dev.errand.tool.mcp.McpServers.ServerStatus;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.health.api.Wellness;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;

/**
 * The states of the MCP servers, as data of a check that is always up: without a server, agents
 * lack some tools, but a restart of the service would not help.
 */
@Wellness
@Singleton
class McpHealth implements HealthCheck {

  private final McpServers servers;
  private final MeterRegistry registry;

  McpHealth(McpServers servers, MeterRegistry registry) {
    this.servers = servers;
    this.registry = registry;
  }

  void register(@Observes StartupEvent start) {
    for (var state : ServerStatus.ServerState.values()) {
      registry.gauge(
          "errand.mcp.servers",
          Tags.of("state", state.word()),
          servers,
          all -> all.statuses().stream().filter(server -> server.state() == state).count());
    }
  }

  @Override
  public HealthCheckResponse call() {
    var response = HealthCheckResponse.named("MCP servers").up();
    servers.statuses().forEach(server -> add(response, server));
    return response.build();
  }

  private static void add(HealthCheckResponseBuilder response, ServerStatus server) {
    response.withData(server.name(), server.state().word());
    response.withData(server.name() + ".tools", server.tools());
    if (!server.problem().isEmpty()) {
      response.withData(server.name() + ".problem", server.problem());
    }
  }
}
