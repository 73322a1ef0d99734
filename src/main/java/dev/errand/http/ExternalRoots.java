package dev.errand.http;

import dev.errand.agent.AgentDefinition;
import dev.errand.agent.Agents;
import dev.errand.auth.Callers;
import dev.errand.model.DefaultModel;
import dev.errand.model.ModelNames;
import dev.errand.permission.Permissions;
import dev.errand.session.NewSession;
import dev.errand.session.NewSession.Details;
import dev.errand.session.NewSession.SessionSpec;
import dev.errand.session.SessionKind;
import dev.errand.tenant.TenantModels;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Objects;

/** External root sessions, the parents of tasks of clients that name no session. */
@Singleton
public class ExternalRoots {

  private static final String AGENT = "primary";

  private final Agents agents;
  private final ModelNames models;
  private final DefaultModel defaultModel;
  private final RequestedWorkspaces workspaces;
  private final Callers callers;

  ExternalRoots(
      Agents agents,
      ModelNames models,
      DefaultModel defaultModel,
      RequestedWorkspaces workspaces,
      Callers callers) {
    this.agents = agents;
    this.models = models;
    this.defaultModel = defaultModel;
    this.workspaces = workspaces;
    this.callers = callers;
  }

  /**
   * Returns a root of the current caller. It is not created yet.
   *
   * @throws Refusal the configuration allows none
   */
  public NewSession next() {
    var tenant = callers.tenant();
    var agent =
        agents
            .of(tenant)
            .find(AGENT)
            .filter(AgentDefinition::isPrimary)
            .orElseThrow(() -> Refusal.invalid("agent", "unknown agent '" + AGENT + "'"));
    var spec =
        new SessionSpec(
            agent.name(),
            SessionKind.EXTERNAL,
            model(agent),
            workspaces.check(null),
            agent.terms().maxTurns(),
            agent.asRoot(Permissions.ALL.narrowedBy(List.of())));
    return NewSession.root(tenant, spec, Details.NONE).ownedBy(callers.owner());
  }

  /** It calls no model; whether its children may call this one is decided when they are created. */
  private String model(AgentDefinition agent) {
    var own = Objects.requireNonNullElse(agent.terms().model(), defaultModel.name());
    var model = models.resolve(own, models.resolve(defaultModel.name()));
    models
        .problem(model, TenantModels.OF_SERVICE)
        .ifPresent(problem -> {
          throw Refusal.invalid("model", problem);
        });
    return model;
  }
}
