package dev.errand.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.errand.agent.AgentDefinition;
import dev.errand.agent.Agents;
import dev.errand.agent.PermissionNames;
import dev.errand.auth.Audit;
import dev.errand.auth.Callers;
import dev.errand.conversation.Content;
import dev.errand.conversation.SessionId;
import dev.errand.http.Refusal;
import dev.errand.http.RequestedWorkspaces;
import dev.errand.model.DefaultModel;
import dev.errand.model.ModelNames;
import dev.errand.model.Prices;
import dev.errand.outbox.Callback;
import dev.errand.outbox.CallbackStore;
import dev.errand.permission.Permissions;
import dev.errand.permission.Rule;
import dev.errand.session.DayQuotas;
import dev.errand.session.LimitConfig;
import dev.errand.session.Limits.RequestedLimits;
import dev.errand.session.NewSession;
import dev.errand.session.NewSession.SessionSpec;
import dev.errand.session.SessionKind;
import dev.errand.session.SessionStore;
import dev.errand.task.IdempotencyKey;
import dev.errand.task.IdempotencyKey.Made;
import dev.errand.tenant.TenantModels;
import dev.errand.tenant.Tenants;
import dev.errand.tool.FieldProblem;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Opens root sessions: checks the request and adds the defaults. */
@Singleton
class SessionOpener {

  private static final int MAX_METADATA_BYTES = 16 * 1024;
  private static final int MAX_METADATA_DEPTH = 20;

  private final SessionStore sessions;
  private final Agents agents;
  private final ModelNames models;
  private final RequestedCallbacks requestedCallbacks;
  private final CallbackStore callbacks;
  private final KeyedRequests keyed;
  private final Callers callers;
  private final Audit audit;
  private final PermissionNames permissionNames;
  private final LimitConfig limits;
  private final ObjectMapper mapper;
  private final RequestedWorkspaces workspaces;
  private final DefaultModel defaultModel;
  private final Prices prices;
  private final Tenants tenants;
  private final DayQuotas quotas;

  SessionOpener(
      SessionStore sessions,
      Agents agents,
      ModelNames models,
      RequestedCallbacks requestedCallbacks,
      CallbackStore callbacks,
      KeyedRequests keyed,
      Callers callers,
      Audit audit,
      PermissionNames permissionNames,
      LimitConfig limits,
      ObjectMapper mapper,
      RequestedWorkspaces workspaces,
      DefaultModel defaultModel,
      Prices prices,
      Tenants tenants,
      DayQuotas quotas) {
    this.tenants = tenants;
    this.sessions = sessions;
    this.agents = agents;
    this.models = models;
    this.requestedCallbacks = requestedCallbacks;
    this.callbacks = callbacks;
    this.keyed = keyed;
    this.callers = callers;
    this.audit = audit;
    this.permissionNames = permissionNames;
    this.limits = limits;
    this.mapper = mapper;
    this.workspaces = workspaces;
    this.defaultModel = defaultModel;
    this.prices = prices;
    this.quotas = quotas;
  }

  /**
   * Opens a root session and returns its id; a repetition with the same key returns the first one.
   *
   * @throws Refusal a field is wrong
   */
  SessionId open(NewSessionBody body, @Nullable IdempotencyKey key) {
    var session = check(body);
    var callback = requestedCallbacks.check(body.callback());
    return keyed.once(
        key,
        Made.session(session.id()),
        () -> create(session, callback, details(body)),
        made -> Objects.requireNonNull(made.session()));
  }

  private SessionId create(
      NewSession session, Optional<Callback> callback, Map<String, Object> details) {
    callback.ifPresentOrElse(
        asked -> callbacks.open(session, asked), () -> sessions.create(session));
    audit.record("session.create", session.id(), null, details);
    return session.id();
  }

  private Map<String, Object> details(NewSessionBody body) {
    var rules = rules(body);
    return rules.isEmpty() ? Map.of() : Map.of("permissions", rules);
  }

  private NewSession check(NewSessionBody body) {
    checkMetadata(body.metadata());
    var agent = agent(Objects.requireNonNullElse(body.agent(), "primary"));
    var kind = "external".equals(body.kind()) ? SessionKind.EXTERNAL : SessionKind.HOSTED;
    var requested = limits(Objects.requireNonNullElse(body.limits(), RequestedLimits.NONE));
    var model = model(body, agent);
    if (kind == SessionKind.HOSTED
        && (requested.limitMoney(limits) || quotas.limitMoney(callers.tenant()))) {
      prices
          .problem(model)
          .ifPresent(problem -> {
            throw Refusal.invalid("model", problem);
          });
    }
    var spec =
        new SessionSpec(
            agent.name(),
            kind,
            model,
            workspaces.check(body.workspace()),
            agent.terms().maxTurns(),
            agent.asRoot(Permissions.ALL.narrowedBy(rules(body))));
    var origin = body.origin() == null ? null : mapper.<JsonNode>valueToTree(body.origin());
    var details = new NewSession.Details(body.title(), origin, body.metadata());
    return NewSession.root(callers.tenant(), spec, details)
        .ownedBy(callers.owner())
        .within(requested);
  }

  private RequestedLimits limits(RequestedLimits asked) {
    var exceeded =
        asked.exceeded(limits.cap()).entrySet().stream()
            .map(cap ->
                new FieldProblem(
                    "limits." + cap.getKey(),
                    "must be at most %s, the cap of this service".formatted(cap.getValue())))
            .toList();
    if (!exceeded.isEmpty()) {
      throw Refusal.invalid(exceeded);
    }
    return asked;
  }

  private void checkMetadata(@Nullable JsonNode metadata) {
    if (metadata == null) {
      return;
    }
    if (Content.depth(metadata) > MAX_METADATA_DEPTH) {
      throw Refusal.invalid(
          "metadata", "must be nested at most " + MAX_METADATA_DEPTH + " levels deep");
    }
    if (metadata.toString().getBytes(StandardCharsets.UTF_8).length > MAX_METADATA_BYTES) {
      throw Refusal.invalid("metadata", "must have at most 16 KiB as JSON");
    }
  }

  private AgentDefinition agent(String name) {
    var known = agents.of(callers.tenant());
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
   * The requested model, or else the one of the agent, or else the default of the service. An
   * external session calls no model; whether its children may call it is decided when they are
   * created.
   */
  private String model(NewSessionBody body, AgentDefinition agent) {
    var own = Objects.requireNonNullElse(agent.terms().model(), defaultModel.name());
    var asked = Objects.requireNonNullElse(body.model(), own);
    var model = models.resolve(asked, models.resolve(defaultModel.name()));
    var tenant = tenants.of(callers.tenant()).models();
    var mayInherit = body.model() == null && "external".equals(body.kind());
    models
        .problem(model, mayInherit ? TenantModels.OF_SERVICE : tenant)
        .ifPresent(problem -> {
          throw Refusal.invalid("model", problem);
        });
    return model;
  }

  private List<Rule> rules(NewSessionBody body) {
    var checked = permissionNames.check(body.permissions(), callers.tenant());
    if (!checked.problems().isEmpty()) {
      throw Refusal.invalid(checked.problems());
    }
    return checked.rules();
  }
}
