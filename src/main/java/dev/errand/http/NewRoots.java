package dev.errand.http;

import dev.errand.agent.AgentDefinition;
import dev.errand.agent.Agents;
import dev.errand.auth.Callers;
import dev.errand.model.DefaultModel;
import dev.errand.model.ModelNames;
import dev.errand.permission.Permissions;
import dev.errand.permission.Rule;
import dev.errand.session.NewSession;
import dev.errand.session.NewSession.SessionDetails;
import dev.errand.session.SessionKind;
import dev.errand.session.SessionSpec;
import dev.errand.tenant.TenantModels;
import dev.errand.tenant.Tenants;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Makes root sessions of the current caller, which are not created yet. */
@Singleton
public class NewRoots {

  private final Agents agents;
  private final ModelNames models;
  private final DefaultModel defaultModel;
  private final Tenants tenants;
  private final RequestedWorkspaces workspaces;
  private final Callers callers;

  NewRoots(
      Agents agents,
      ModelNames models,
      DefaultModel defaultModel,
      Tenants tenants,
      RequestedWorkspaces workspaces,
      Callers callers) {
    this.agents = agents;
    this.models = models;
    this.defaultModel = defaultModel;
    this.tenants = tenants;
    this.workspaces = workspaces;
    this.callers = callers;
  }

  /**
   * The settings of a new root.
   *
   * @param agent null for {@code primary}
   * @param model null for the one of the agent, or else the default of the service
   * @param workspace null for the default
   * @param rules that narrow what the agent may do
   */
  public record Asked(
      SessionKind kind,
      @Nullable String agent,
      @Nullable String model,
      @Nullable String workspace,
      List<Rule> rules) {

    public Asked {
      rules = List.copyOf(rules);
    }
  }

  /**
   * Returns an external root, the parent of the tasks of a client that names no session.
   *
   * @throws Refusal the configuration allows none
   */
  public NewSession external() {
    return root(new Asked(SessionKind.EXTERNAL, null, null, null, List.of()), SessionDetails.NONE);
  }

  /**
   * Returns a root.
   *
   * @throws Refusal it cannot be as asked
   */
  public NewSession root(Asked asked, SessionDetails details) {
    var tenant = callers.tenant();
    var agent = agent(Objects.requireNonNullElse(asked.agent(), "primary"), tenant);
    var spec =
        new SessionSpec(
            agent.name(),
            asked.kind(),
            model(asked, agent, tenant),
            workspaces.check(asked.workspace()),
            agent.terms().maxTurns(),
            agent.asRoot(Permissions.ALL.narrowedBy(asked.rules())));
    return NewSession.root(tenant, spec, details).ownedBy(callers.owner());
  }

  private AgentDefinition agent(String name, String tenant) {
    var known = agents.of(tenant);
    return known
        .find(name)
        .filter(AgentDefinition::isPrimary)
        .orElseThrow(() ->
            Refusal.invalid(
                "agent",
                "unknown agent '"
                    + name
                    + "'; agents for root sessions: "
                    + known.all().stream()
                        .filter(AgentDefinition::isPrimary)
                        .map(AgentDefinition::name)
                        .collect(Collectors.joining(", "))));
  }

  /**
   * Returns the model of a session. An external session calls no model; whether its children may
   * call the model that they inherit is decided when they are created.
   */
  private String model(Asked asked, AgentDefinition agent, String tenant) {
    var own = Objects.requireNonNullElse(agent.terms().model(), defaultModel.name());
    var name = Objects.requireNonNullElse(asked.model(), own);
    var model = models.resolve(name, models.resolve(defaultModel.name()));
    var isInherited = asked.model() == null && asked.kind() == SessionKind.EXTERNAL;
    models
        .problem(model, isInherited ? TenantModels.OF_SERVICE : tenants.of(tenant).models())
        .ifPresent(problem -> {
          throw Refusal.invalid("model", problem);
        });
    return model;
  }
}
