package dev.errand.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.api.http.AfterResponse;
import dev.errand.api.http.ClientLimits;
import dev.errand.api.http.IdempotencyHeader;
import dev.errand.api.http.Prefer;
import dev.errand.api.http.Problem;
import dev.errand.api.http.Refusal;
import dev.errand.api.http.RequestBodies;
import dev.errand.auth.Callers;
import dev.errand.auth.Role;
import dev.errand.conversation.SessionId;
import dev.errand.delegate.TaskArguments;
import dev.errand.outbox.Callback.TaskCallback;
import dev.errand.outbox.NoticeStore;
import dev.errand.postgres.Failpoint;
import dev.errand.task.Delegations;
import dev.errand.task.IdempotencyKey;
import dev.errand.task.ResultReads;
import dev.errand.task.SubmitResult;
import dev.errand.task.Task;
import dev.errand.task.TaskRequest;
import dev.errand.task.TaskStore;
import dev.errand.task.TaskSubmission;
import dev.errand.task.TaskToolResult;
import dev.errand.task.TaskWaiters;
import dev.errand.tool.FieldProblem;
import dev.errand.view.Visibility;
import io.quarkus.security.ForbiddenException;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.Status;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Submits tasks over HTTP: reads headers and body, waits for the end of foreground tasks, and maps
 * the outcome to a status.
 */
@ApplicationScoped
class TaskEndpoint {

  private static final int MAX_WAIT_SECONDS = 600;
  private static final Duration DEFAULT_WAIT = Duration.ofSeconds(60);
  private static final String PARENT = "parent_session_id";

  private final RequestBodies bodies;
  private final TaskArguments arguments;
  private final SessionOpener opener;
  private final Delegations submitter;
  private final RequestTurns turns;
  private final TaskStore tasks;
  private final TaskWaiters waits;
  private final ClientLimits limits;
  private final NoticeStore notices;
  private final ResultReads reads;
  private final AfterResponse afterResponse;
  private final Visibility visibility;
  private final Callers callers;
  private final RequestedCallbacks callbacks;

  TaskEndpoint(
      RequestBodies bodies,
      TaskArguments arguments,
      SessionOpener opener,
      Delegations submitter,
      RequestTurns turns,
      TaskStore tasks,
      TaskWaiters waits,
      ClientLimits limits,
      NoticeStore notices,
      ResultReads reads,
      AfterResponse afterResponse,
      Visibility visibility,
      Callers callers,
      RequestedCallbacks callbacks) {
    this.bodies = bodies;
    this.arguments = arguments;
    this.opener = opener;
    this.submitter = submitter;
    this.turns = turns;
    this.tasks = tasks;
    this.waits = waits;
    this.limits = limits;
    this.notices = notices;
    this.reads = reads;
    this.afterResponse = afterResponse;
    this.visibility = visibility;
    this.callers = callers;
    this.callbacks = callbacks;
  }

  Response submit(IdempotencyHeader header, @Nullable String prefer, @Nullable JsonNode body)
      throws JsonProcessingException {
    var wait = waitFor(prefer);
    var fields = bodies.object(body).deepCopy();
    var key = header.of(IdempotencyKey.Route.TASKS, fields);
    var parent = parent(fields.remove(PARENT));
    var callback = callback(fields.remove("callback"));
    var request = request(fields);
    var hold = request.inBackground() ? Duration.ZERO : wait;
    try (var _ = limits.waiting(hold)) {
      var submission =
          submitter.submit(
              new TaskSubmission(parent, request, null, key, hold).withCallback(callback),
              turns::take);
      Failpoint.SUBMITTED.pass();
      return answer(submission, wait);
    }
  }

  /** Returns how long a client waits for a foreground task: 60 s without the header. */
  static Duration waitFor(@Nullable String prefer) {
    return Prefer.waitFor(prefer, MAX_WAIT_SECONDS).orElse(DEFAULT_WAIT);
  }

  /**
   * Answers a submission; waits for the end of an accepted foreground task.
   *
   * @throws Refusal the submission was refused
   */
  Response answer(SubmitResult submission, Duration wait) {
    return switch (submission) {
      case SubmitResult.Refused refused -> throw refusal(refused);
      case SubmitResult.Accepted accepted -> answer(accepted, wait);
    };
  }

  private TaskSubmission.Parent parent(@Nullable JsonNode id) {
    if (id == null || id.isNull()) {
      if (callers.current().filter(caller -> caller.role() == Role.SESSION).isPresent()) {
        throw new ForbiddenException();
      }
      return new TaskSubmission.Parent.NewRoot(opener.external());
    }
    var parent =
        SessionId.parse(id.asText())
            .filter(_ -> id.isTextual())
            .orElseThrow(() ->
                Refusal.invalid(PARENT, "must be a session id (ses_ and 32 hexadecimal digits)"));
    if (!visibility.includes(parent)) {
      throw refusal(SubmitResult.Refused.unknownParent(parent));
    }
    return new TaskSubmission.Parent.Existing(parent);
  }

  private @Nullable TaskCallback callback(@Nullable JsonNode given) throws JsonProcessingException {
    if (given == null || given.isNull()) {
      return null;
    }
    var field = JsonNodeFactory.instance.objectNode().set("callback", given);
    var asked = bodies.read(field, NewTaskBody.TaskParent.class).callback();
    return callbacks.check(Objects.requireNonNull(asked));
  }

  private TaskRequest request(ObjectNode fields) {
    fields.removeNulls();
    arguments.canonicalize(fields);
    var problems = arguments.problems(fields);
    if (!problems.isEmpty()) {
      throw Refusal.invalid(problems);
    }
    return arguments.read(fields);
  }

  private static Refusal refusal(SubmitResult.Refused refused) {
    var errors = List.of(new FieldProblem(refused.field(), refused.message()));
    return switch (refused.reason()) {
      case INVALID -> Refusal.invalid(errors);
      case UNKNOWN_PARENT -> new Refusal(Status.NOT_FOUND, "There is no such session.", errors);
      case BUSY -> new Refusal(Status.CONFLICT, "The session has a live task.", errors);
      case KEY_REUSED ->
          new Refusal(
              Problem.UNPROCESSABLE, "The idempotency key was used for another request.", errors);
      case LIMIT ->
          new Refusal(
              Problem.UNPROCESSABLE, "A limit allows no further delegation.", ofParent(refused));
      case FULL ->
          Refusal.quota(
              Objects.requireNonNull(refused.quota()).name(),
              refused.quota().retryAfter(),
              ofParent(refused));
      case NODE_BUSY ->
          new Refusal(
              Status.SERVICE_UNAVAILABLE,
              "The service is busy: %s. Nothing was accepted; try again later."
                  .formatted(refused.message()),
              List.of());
    };
  }

  /** A limit belongs to the parent session, so the problem names the field of the parent. */
  private static List<FieldProblem> ofParent(SubmitResult.Refused refused) {
    return List.of(new FieldProblem(PARENT, refused.message()));
  }

  private Response answer(SubmitResult.Accepted accepted, Duration wait) {
    var task = accepted.task();
    visibility.remember(task.id(), task.parent());
    var location = URI.create("/v1/tasks/" + task.id());
    if (task.background()) {
      return Response.accepted(shown(TaskToolResult.accepted(accepted), task))
          .location(location)
          .build();
    }
    waits.awaitEnd(task.id(), wait);
    var now = tasks.find(task.id()).orElse(task);
    if (now.outcome().isEmpty()) {
      notices.release(task.id());
      return Response.accepted(shown(TaskToolResult.running(now), task)).location(location).build();
    }
    afterResponse.run(() -> reads.consume(now), () -> notices.release(now.id()));
    return Response.ok(shown(TaskToolResult.of(now), task)).location(location).build();
  }

  /** With the task's callback and its secret. */
  private TaskToolResult shown(TaskToolResult result, Task task) {
    return task.callbackEvents().isEmpty()
        ? result
        : callbacks
            .registered(task.id().value(), "Task " + task.id() + " was accepted")
            .map(result::withCallback)
            .orElse(result);
  }
}
