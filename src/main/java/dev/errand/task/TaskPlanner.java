package dev.errand.task;

import dev.errand.agent.AgentDefinition;
import dev.errand.agent.Agents;
import dev.errand.agent.Isolation;
import dev.errand.model.ModelNames;
import dev.errand.session.NewSession;
import dev.errand.session.Session;
import dev.errand.session.SessionKind;
import dev.errand.session.SessionSpec;
import dev.errand.session.SessionState;
import dev.errand.tenant.Tenants;
import dev.errand.tool.FieldProblem;
import dev.errand.worktree.Worktrees;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Fills in the defaults of a request, and refuses requests that are not possible. Changes nothing.
 */
@Singleton
class TaskPlanner {

  private final Agents agents;
  private final ChildRights rights;
  private final ModelNames models;
  private final ContinuedChildren continued;
  private final Tenants tenants;

  TaskPlanner(
      Agents agents,
      ChildRights rights,
      ModelNames models,
      ContinuedChildren continued,
      Tenants tenants) {
    this.agents = agents;
    this.rights = rights;
    this.models = models;
    this.continued = continued;
    this.tenants = tenants;
  }

  /**
   * Plans a task. A child that is continued is locked until the transaction ends.
   *
   * @param copy that a new child works in; null when it shares the workspace of its parent
   */
  Planning plan(Session parent, TaskSubmission submission, Worktrees.@Nullable PreparedCopy copy) {
    var request = submission.request();
    if (parent.state() == SessionState.CLOSED) {
      return SubmitResult.Refused.endedParent(parent.id());
    }
    if (request.prompt().getBytes(StandardCharsets.UTF_8).length > TaskSchema.MAX_PROMPT_BYTES) {
      return SubmitResult.Refused.invalid("prompt", "must have at most 256 KiB");
    }
    if (request.model() != null) {
      var problem = problem(request.model(), parent);
      if (problem.isPresent()) {
        return SubmitResult.Refused.invalid("model", problem.get());
      }
    }
    return request.sessionId() == null
        ? planNew(parent, submission, copy)
        : continued.plan(parent, submission);
  }

  private Optional<String> problem(String model, Session parent) {
    return models.problem(model, tenants.of(parent.tenant()).models());
  }

  private Planning planNew(
      Session parent, TaskSubmission submission, Worktrees.@Nullable PreparedCopy copy) {
    var wanted =
        Objects.requireNonNullElse(submission.request().subagentType(), AgentDefinition.GENERAL);
    return agents
        .of(parent.tenant())
        .find(wanted, parent.agent())
        .filter(AgentDefinition::isDelegable)
        .map(agent -> planFor(agent, parent, submission, copy))
        .orElseGet(() ->
            SubmitResult.Refused.invalid(
                "subagent_type",
                "unknown agent '" + wanted + "'; agents you may use: " + usable(parent)));
  }

  private Planning planFor(
      AgentDefinition agent,
      Session parent,
      TaskSubmission submission,
      Worktrees.@Nullable PreparedCopy copy) {
    var request = submission.request();
    var model = wantedModel(request, agent, parent);
    var permissions = rights.of(parent, agent, request.permissions());
    var problem =
        denial(parent, submission, agent)
            .or(() -> Thoroughness.problem(request, agent.name()))
            .or(() -> unusable(model, agent, parent))
            .or(() -> permissions.problems().stream().findFirst())
            .or(() -> impossible(request.isolation(), agent, copy != null));
    if (problem.isPresent()) {
      return SubmitResult.Refused.invalid(problem.get());
    }
    var spec =
        new SessionSpec(
            agent.name(),
            SessionKind.HOSTED,
            models.resolve(model, parent.model()),
            copy == null ? parent.workspace() : copy.tree(),
            Thoroughness.turns(request, agent.terms().maxTurns()),
            permissions.permissions());
    var child =
        new TaskPlan.Child.New(
            NewSession.childOf(parent, submission.generation(parent), spec), copy);
    return new TaskPlan(
        submission,
        parent,
        child,
        Objects.requireNonNullElse(request.timeoutMs(), agent.terms().timeout().toMillis()),
        copy == null ? Isolation.SHARED : Isolation.WORKTREE,
        notes(submission, copy, models.note(model, spec.model())),
        rights.shown(spec));
  }

  private static List<String> notes(
      TaskSubmission submission, Worktrees.@Nullable PreparedCopy copy, Optional<String> ofModel) {
    return Stream.of(
            submission.notes(),
            copy == null ? List.<String>of() : copy.notes(),
            ofModel.stream().toList())
        .flatMap(List::stream)
        .toList();
  }

  private Optional<FieldProblem> denial(
      Session parent, TaskSubmission submission, AgentDefinition agent) {
    return parent
        .permissions()
        .denial(List.of(submission.kind().word()), agent.name())
        .map(denial ->
            new FieldProblem(
                "subagent_type",
                "this session may not delegate to %s: %s; agents you may use: %s"
                    .formatted(agent.name(), denial.reason(), usable(parent))));
  }

  private static String wantedModel(TaskRequest request, AgentDefinition agent, Session parent) {
    var asked = request.model() == null ? agent.terms().model() : request.model();
    return Objects.requireNonNullElse(asked, parent.model());
  }

  private Optional<FieldProblem> unusable(String model, AgentDefinition agent, Session parent) {
    return problem(model, parent)
        .map(problem ->
            new FieldProblem(
                "subagent_type",
                "the model of agent " + agent.name() + " cannot be used: " + problem));
  }

  private static Optional<FieldProblem> impossible(
      @Nullable Isolation asked, AgentDefinition agent, boolean hasCopy) {
    var own = agent.terms().isolation();
    if (own == Isolation.WORKTREE && asked == Isolation.SHARED) {
      return Optional.of(
          new FieldProblem(
              "isolation",
              "agent " + agent.name() + " always works in a worktree of its own; leave this out"));
    }
    return !hasCopy && (asked == Isolation.WORKTREE || own == Isolation.WORKTREE)
        ? Optional.of(
            new FieldProblem("isolation", "worktree is not possible for the command of a skill"))
        : Optional.empty();
  }

  private String usable(Session caller) {
    return agents.of(caller.tenant()).namesFor(caller.agent(), caller.permissions());
  }
}
