package dev.errand.task;

import dev.errand.agent.AgentDefinition;
import dev.errand.agent.Agents;
import dev.errand.agent.Isolation;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.model.ModelNames;
import dev.errand.session.Session;
import dev.errand.session.SessionSpec;
import dev.errand.session.SessionState;
import dev.errand.session.SessionStore;
import dev.errand.task.TaskPlan.Child;
import dev.errand.tool.FieldProblem;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Plans further tasks of children that exist. A child keeps its agent and permissions, and its
 * model unless the request names one. The limit of turns of an earlier request is not kept.
 */
@Singleton
class ContinuedChildren {

  /** How many children an error names, and among how many of the latest tasks they are found. */
  private static final int MAX_NAMED = 5;

  private static final int MAX_LISTED_TASKS = 50;

  private final SessionStore sessions;
  private final TaskStore tasks;
  private final TaskList list;
  private final ChildQueue queue;
  private final Agents agents;
  private final ModelNames models;
  private final ChildRights rights;

  ContinuedChildren(
      SessionStore sessions,
      TaskStore tasks,
      TaskList list,
      ChildQueue queue,
      Agents agents,
      ModelNames models,
      ChildRights rights) {
    this.sessions = sessions;
    this.tasks = tasks;
    this.list = list;
    this.queue = queue;
    this.agents = agents;
    this.models = models;
    this.rights = rights;
  }

  /** Plans a task that continues a child. Locks the child, so that it gets no other task. */
  @Transactional(TxType.MANDATORY)
  Planning plan(Session parent, TaskSubmission submission) {
    var named = Objects.requireNonNull(submission.request().sessionId());
    var found = find(parent.id(), named);
    if (found.isEmpty()) {
      return SubmitResult.Refused.invalid("session_id", whyUnknown(parent.id(), named));
    }
    var child = found.get();
    var problem = problem(submission.request(), child, parent);
    if (problem.isPresent()) {
      return SubmitResult.Refused.invalid(problem.get());
    }
    var isBusy = queue.isBusy(child.id());
    var latest = tasks.latestOf(child.id());
    if (isBusy && !submission.queuesForChild()) {
      return SubmitResult.Refused.busy(whyBusy(child.id(), latest));
    }
    var terms = agents.of(child.tenant()).find(child.agent()).map(AgentDefinition::terms);
    var spec = spec(submission.request(), child, parent, terms);
    var timeout =
        terms
            .map(AgentDefinition.RunDefaults::timeout)
            .orElse(AgentDefinition.RunDefaults.DEFAULT_TIMEOUT);
    return new TaskPlan(
        submission,
        parent,
        isBusy ? new Child.Busy(child.id(), spec) : new Child.Continued(child.id(), spec),
        Objects.requireNonNullElse(submission.request().timeoutMs(), timeout.toMillis()),
        latest.map(Task::isolation).orElse(Isolation.SHARED),
        Stream.concat(
                submission.notes().stream(),
                models.note(submission.request().model(), spec.model()).stream())
            .toList(),
        rights.shown(spec));
  }

  private SessionSpec spec(
      TaskRequest request,
      Session child,
      Session parent,
      Optional<AgentDefinition.RunDefaults> terms) {
    return new SessionSpec(
        child.agent(),
        child.kind(),
        models.resolve(Objects.requireNonNullElse(request.model(), child.model()), parent.model()),
        child.workspace(),
        Thoroughness.turns(
            request, terms.map(AgentDefinition.RunDefaults::maxTurns).orElse(child.maxTurns())),
        child.permissions());
  }

  /** Returns why a child cannot be continued by this request, whatever it does now. */
  private Optional<FieldProblem> problem(TaskRequest request, Session child, Session parent) {
    if (child.state() == SessionState.CLOSED) {
      return problem(
          "session_id",
          "the child session is closed: its transcript was deleted after its result was read"
              + " (cleanup: delete); start a new task instead");
    }
    if (request.subagentType() != null
        && agents
            .of(parent.tenant())
            .find(request.subagentType(), parent.agent())
            .filter(agent -> agent.name().equals(child.agent()))
            .isEmpty()) {
      return problem(
          "subagent_type", "the child session runs " + child.agent() + "; leave this out");
    }
    if (request.isolation() != null) {
      return problem("isolation", "was fixed when the child session was created; leave this out");
    }
    if (request.permissions() != null && !request.permissions().isEmpty()) {
      return problem(
          "permissions", "were fixed when the child session was created; leave this out");
    }
    return Thoroughness.problem(request, child.agent());
  }

  private static Optional<FieldProblem> problem(String field, String message) {
    return Optional.of(new FieldProblem(field, message));
  }

  private String whyBusy(SessionId child, Optional<Task> latest) {
    var live = latest.filter(task -> task.state().isLive());
    if (live.isPresent()) {
      return "the child session is still busy with task %s; wait for its end or cancel it"
          .formatted(live.get().id());
    }
    return queue.waitingFor(child).isEmpty()
        ? "the child session is busy, or was just closed"
        : "other tasks are queued for the child session; wait for their end or cancel them";
  }

  /**
   * @param id the session id of the child, or the id of one of its tasks
   */
  private Optional<Session> find(SessionId parent, String id) {
    return SessionId.parse(id)
        .or(() -> TaskId.parse(id).flatMap(tasks::find).map(task -> task.child()))
        .flatMap(sessions::find)
        .filter(session -> parent.equals(session.parent()));
  }

  /**
   * Returns why there is no such child. The id of the parent itself is answered with the latest
   * children.
   */
  private String whyUnknown(SessionId parent, String id) {
    if (!id.equals(parent.toString())) {
      return "there is no child session '" + id + "' of this session";
    }
    var children =
        list.delegatedBy(parent, null, MAX_LISTED_TASKS).stream()
            .map(Task::child)
            .distinct()
            .limit(MAX_NAMED)
            .map(SessionId::toString)
            .collect(Collectors.joining(", "));
    return "'%s' is the session that delegates; name the child to continue: %s"
        .formatted(id, children.isEmpty() ? "it has none yet" : children);
  }
}
