package dev.errand.api;

import dev.errand.agent.AgentDefinition;
import dev.errand.agent.Agents;
import dev.errand.conversation.ToolDefinition;
import dev.errand.permission.Permissions;
import dev.errand.tool.ToolBox;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import java.util.List;
import java.util.Locale;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** The agents that sessions and tasks can be given to. */
@Path("/v1/agents")
@RunOnVirtualThread
@Tag(name = "Agents")
class AgentsResource {

  private final Agents agents;
  private final ToolBox toolBox;

  AgentsResource(Agents agents, ToolBox toolBox) {
    this.agents = agents;
    this.toolBox = toolBox;
  }

  /**
   * @param tools the names of the tools it may use, before a parent's permissions narrow them
   */
  record AgentView(
      String name,
      String description,
      String mode,
      String prompt,
      List<String> tools,
      int maxTurns) {}

  @GET
  @Operation(summary = "All agents")
  public Page<AgentView> list() {
    return Page.whole(agents.all().stream().map(this::view).toList());
  }

  @GET
  @Path("{name}")
  @Operation(summary = "One agent, by name or alias")
  public AgentView get(@PathParam("name") String name) {
    return agents.find(name).map(this::view).orElseThrow(() -> Refusal.notFound("agent", name));
  }

  private AgentView view(AgentDefinition agent) {
    var tools = toolBox.offered(Permissions.ALL.narrowedBy(agent.rules()));
    return new AgentView(
        agent.name(),
        agent.summary(),
        agent.mode().name().toLowerCase(Locale.ROOT),
        agent.prompt(),
        tools.stream().map(ToolDefinition::name).toList(),
        agent.terms().maxTurns());
  }
}
