package dev.errand.api;

import dev.errand.agent.AgentDefinition;
import dev.errand.agent.Agents;
import dev.errand.agent.Isolation;
import dev.errand.auth.Audit;
import dev.errand.auth.Callers;
import dev.errand.auth.Roles;
import dev.errand.http.Problem;
import dev.errand.http.Refusal;
import dev.errand.markdown.BrokenFile;
import dev.errand.permission.Permissions;
import dev.errand.tool.FieldProblem;
import dev.errand.tool.ToolBox;
import dev.errand.tool.ToolUser;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The agents that run sessions and tasks. */
@Path("/v1/agents")
@RunOnVirtualThread
class AgentsResource {

  private final Agents agents;
  private final ToolBox toolBox;
  private final Audit audit;
  private final Callers callers;

  AgentsResource(Agents agents, ToolBox toolBox, Audit audit, Callers callers) {
    this.agents = agents;
    this.toolBox = toolBox;
    this.audit = audit;
    this.callers = callers;
  }

  /**
   * An agent in the wire format.
   *
   * @param tools the names of the tools that it may use, before the permissions of a parent narrow
   *     them; tools of its own MCP server are listed after the first run
   * @param model null means the model of the parent
   * @param subagents the agents that it may delegate to; for a root agent, empty means all
   * @param isolation where its children work
   * @param source built_in, or the file, relative to the directory of agents
   * @param parent the only agent that may delegate to this one; null if all may
   */
  record AgentView(
      String name,
      String description,
      String mode,
      String prompt,
      List<String> tools,
      @Nullable String model,
      List<String> subagents,
      int maxTurns,
      int maxRetries,
      long timeoutMs,
      Isolation isolation,
      String source,
      @Nullable String parent) {}

  /**
   * A file that defines no agent, because it is broken.
   *
   * @param file relative to the directory of agents
   * @param line from 1
   */
  record ProblemView(String file, int line, String message) {}

  /**
   * All agents, and the files whose agents are missing or older than the file.
   *
   * @param nextCursor always null
   */
  record AgentsView(
      List<AgentView> items, @Nullable String nextCursor, List<ProblemView> problems) {}

  /** The result of a reload. */
  record ReloadView(int agents, List<String> warnings, List<ProblemView> problems) {}

  @GET
  @RolesAllowed({Roles.VIEWER, Roles.AGENT})
  public AgentsView list() {
    var all = agents.of(callers.tenant()).all().stream().map(this::view).toList();
    return new AgentsView(all, null, problems());
  }

  private List<ProblemView> problems() {
    return agents.problems(callers.tenant()).stream()
        .map(broken -> new ProblemView(broken.file(), broken.line(), broken.problem()))
        .toList();
  }

  @GET
  @RolesAllowed({Roles.VIEWER, Roles.AGENT})
  @Path("{name:.+}")
  public AgentView get(@PathParam("name") String name) {
    return agents
        .of(callers.tenant())
        .find(name)
        .map(this::view)
        .orElseThrow(() -> Refusal.notFound("agent", name));
  }

  @POST
  @RolesAllowed(Roles.OPERATOR)
  @Path("reload")
  public ReloadView reload() {
    try {
      var warnings = agents.reload(callers.tenant());
      QuarkusTransaction.requiringNew()
          .run(() -> audit.record("agents.reload", null, null, Map.of()));
      return new ReloadView(agents.of(callers.tenant()).all().size(), warnings, problems());
    } catch (BrokenFile broken) {
      throw new Refusal(
          Problem.UNPROCESSABLE,
          "An agent file cannot be used; no agent was changed.",
          List.of(new FieldProblem(broken.place(), broken.problem())));
    }
  }

  private AgentView view(AgentDefinition agent) {
    var permissions =
        agent.isPrimary() ? agent.asRoot(Permissions.ALL) : agent.asChildOf(Permissions.ALL);
    var terms = agent.terms();
    return new AgentView(
        agent.name(),
        agent.summary(),
        agent.mode().word(),
        agent.prompt(),
        toolBox.names(permissions, new ToolUser(callers.tenant(), agent.name())),
        terms.model(),
        terms.subagents(),
        terms.maxTurns(),
        terms.maxRetries(),
        terms.timeout().toMillis(),
        terms.isolation(),
        agent.source(),
        agent.parent());
  }
}
