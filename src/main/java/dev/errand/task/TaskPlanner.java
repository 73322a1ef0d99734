package dev.errand.task;

import dev.errand.agent.AgentDefinition;
import dev.errand.agent.Agents;
import dev.errand.agent.Isolation;
import dev.errand.model.ModelNames;
import dev.errand.session.NewSession.SessionSpec;
import dev.errand.session.Session;
import dev.errand.session.SessionKind;
import dev.errand.session.SessionState;
import dev.errand.tenant.Tenants;
import dev.errand.tool.FieldProblem;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Fills in the defaults of a request, and refuses requests that are not possible. Changes nothing.
 */
@Singleton
class TaskPlanner {

  private final Agents agents;
  private final ChildRights rights;
  private final ModelNames models;
  private final OwnChildren children;
  private final TaskStore tasks;
  private final Tenants tenants;

  TaskPlanner(
      Agents agents,
      ChildRights rights,
      ModelNames models,
      OwnChildren children,
      TaskStore tasks,
      Tenants tenants) {
    this.tenants = tenants;
    this.agents = agents;
    this.rights = rights;
    this.models = models;
    this.children = children;
    this.tasks = tasks;
  }

  /** The planned task, or the reason why it is refused. */
  sealed interface Plan {

    /**
     * The task is possible.
     *
     * @param child what the child session is made of
     * @param continued the session to continue; empty when a new one is to be created
     */
    record Ready(TaskSpec spec, SessionSpec child, Optional<Session> continued) implements Plan {}

    record Refused(SubmitResult.Refused refusal) implements Plan {}
  }

  Plan plan(Session parent, TaskSubmission submission) {
    var request = submission.request();
    if (parent.state() == SessionState.CLOSED) {
      return new Plan.Refused(SubmitResult.Refused.endedParent(parent.id()));
    }
    if (request.prompt().getBytes(StandardCharsets.UTF_8).length > TaskRequest.MAX_PROMPT_BYTES) {
      return invalid("prompt", "must have at most 256 KiB");
    }
    if (request.model() != null) {
      var problem = problem(request.model(), parent);
      if (problem.isPresent()) {
        return invalid("model", problem.get());
      }
    }
    return request.sessionId() == null
        ? planNew(parent, submission)
        : planContinued(parent, submission, request.sessionId());
  }

  private Optional<String> problem(String model, Session parent) {
    return models.problem(model, tenants.of(parent.tenant()).models());
  }

  private Plan planNew(Session parent, TaskSubmission submission) {
    var request = submission.request();
    var kind = submission.kind();
    var wanted = Objects.requireNonNullElse(request.subagentType(), AgentDefinition.GENERAL);
    var found = agent(wanted, parent).filter(AgentDefinition::isDelegable);
    if (found.isEmpty()) {
      return invalid(
          "subagent_type", "unknown agent '" + wanted + "'; agents you may use: " + usable(parent));
    }
    var agent = found.get();
    var denial = parent.permissions().denial(List.of(kind.word()), agent.name());
    if (denial.isPresent()) {
      return invalid(
          "subagent_type",
          "this session may not delegate to %s: %s; agents you may use: %s"
              .formatted(agent.name(), denial.get().reason(), usable(parent)));
    }
    var thoroughness = Thoroughness.problem(request, agent.name());
    if (thoroughness.isPresent()) {
      return invalid("thoroughness", thoroughness.get());
    }
    var wantedModel = Objects.requireNonNullElse(wantedModel(request, agent), parent.model());
    var problem = problem(wantedModel, parent);
    if (problem.isPresent()) {
      return invalid(
          "subagent_type",
          "the model of agent " + agent.name() + " cannot be used: " + problem.get());
    }
    var model = models.resolve(wantedModel, parent.model());
    var permissions = rights.of(parent, agent, request.permissions());
    if (!permissions.problems().isEmpty()) {
      return invalid(permissions.problems().getFirst());
    }
    var isolation = agent.terms().isolation();
    if (isolation == Isolation.WORKTREE && request.isolation() == Isolation.SHARED) {
      return invalid(
          "isolation",
          "agent " + agent.name() + " always works in a worktree of its own; leave this out");
    }
    var copy = submission.copy();
    if (copy == null
        && (request.isolation() == Isolation.WORKTREE || isolation == Isolation.WORKTREE)) {
      return invalid("isolation", "worktree is not possible for the command of a skill");
    }
    var child =
        new SessionSpec(
            agent.name(),
            SessionKind.HOSTED,
            model,
            copy == null ? parent.workspace() : copy.tree(),
            Thoroughness.turns(request, agent.terms().maxTurns()),
            permissions.permissions());
    return new Plan.Ready(
        spec(
            submission,
            child,
            agent.terms().timeout(),
            wantedModel,
            copy == null ? Isolation.SHARED : Isolation.WORKTREE),
        child,
        Optional.empty());
  }

  /**
   * The child's owner gives it a further task; the child keeps its agent and permissions, and its
   * model unless the request names one. The limit of turns of an earlier request is not kept.
   */
  private Plan planContinued(Session parent, TaskSubmission submission, String childId) {
    var request = submission.request();
    var found = children.find(parent.id(), childId);
    if (found.isEmpty()) {
      return invalid("session_id", children.whyUnknown(parent.id(), childId));
    }
    var child = found.get();
    if (child.state() == SessionState.CLOSED) {
      return invalid(
          "session_id",
          "the child session is closed: its transcript was deleted after its result was read"
              + " (cleanup: delete); start a new task instead");
    }
    if (request.subagentType() != null
        && agent(request.subagentType(), parent)
            .filter(agent -> agent.name().equals(child.agent()))
            .isEmpty()) {
      return invalid(
          "subagent_type", "the child session runs " + child.agent() + "; leave this out");
    }
    if (request.isolation() != null) {
      return invalid("isolation", "was fixed when the child session was created; leave this out");
    }
    if (request.permissions() != null && !request.permissions().isEmpty()) {
      return invalid(
          "permissions", "were fixed when the child session was created; leave this out");
    }
    var thoroughness = Thoroughness.problem(request, child.agent());
    if (thoroughness.isPresent()) {
      return invalid("thoroughness", thoroughness.get());
    }
    var latest = tasks.latestOf(child.id());
    var live = latest.filter(task -> task.state().isLive());
    if (live.isPresent() && !submission.queuesForChild()) {
      return new Plan.Refused(
          new SubmitResult.Refused(
              SubmitResult.Reason.BUSY,
              "session_id",
              "the child session is still busy with task "
                  + live.get().id()
                  + "; wait for its end or cancel it"));
    }
    var terms = agents.of(child.tenant()).find(child.agent()).map(AgentDefinition::terms);
    var turns = terms.map(AgentDefinition.Terms::maxTurns).orElse(child.maxTurns());
    var adjusted =
        new SessionSpec(
            child.agent(),
            child.kind(),
            models.resolve(
                Objects.requireNonNullElse(request.model(), child.model()), parent.model()),
            child.workspace(),
            Thoroughness.turns(request, turns),
            child.permissions());
    var timeout =
        terms.map(AgentDefinition.Terms::timeout).orElse(AgentDefinition.Terms.DEFAULT_TIMEOUT);
    var isolation = latest.map(Task::isolation).orElse(Isolation.SHARED);
    return new Plan.Ready(
        spec(submission, adjusted, timeout, request.model(), isolation), adjusted, found);
  }

  /**
   * @param model as it was asked for; null when it was not
   */
  private TaskSpec spec(
      TaskSubmission submission,
      SessionSpec child,
      Duration timeout,
      @Nullable String model,
      Isolation isolation) {
    var notes = new ArrayList<>(submission.notes());
    models.note(model, child.model()).ifPresent(notes::add);
    return TaskSpec.of(submission, child, timeout, isolation, notes, rights.shown(child));
  }

  private static @Nullable String wantedModel(TaskRequest request, AgentDefinition agent) {
    return request.model() == null ? agent.terms().model() : request.model();
  }

  private Optional<AgentDefinition> agent(String name, Session caller) {
    return agents.of(caller.tenant()).find(name, caller.agent());
  }

  private String usable(Session caller) {
    return agents.of(caller.tenant()).namesFor(caller.agent(), caller.permissions());
  }

  private static Plan invalid(FieldProblem problem) {
    return invalid(problem.field(), problem.message());
  }

  private static Plan invalid(String field, String message) {
    return new Plan.Refused(new SubmitResult.Refused(SubmitResult.Reason.INVALID, field, message));
  }
}
