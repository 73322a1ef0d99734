package dev.errand.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.auth.Callers;
import dev.errand.auth.Role;
import dev.errand.conversation.SessionId;
import dev.errand.http.AfterResponse;
import dev.errand.http.ClientLimits;
import dev.errand.http.ConsoleUrl;
import dev.errand.http.IdempotencyHeader;
import dev.errand.http.NewRoots;
import dev.errand.http.Prefer;
import dev.errand.http.Refusal;
import dev.errand.http.RequestBodies;
import dev.errand.outbox.Callback.TaskCallback;
import dev.errand.postgres.Failpoint;
import dev.errand.task.ClientTasks;
import dev.errand.task.ClientTasks.TaskAnswer;
import dev.errand.task.IdempotencyKey;
import dev.errand.task.SubmitResult;
import dev.errand.task.Task;
import dev.errand.task.TaskCaller;
import dev.errand.task.TaskRequest;
import dev.errand.task.TaskSchema;
import dev.errand.task.TaskSubmission;
import dev.errand.task.TaskToolResult;
import dev.errand.view.Visibility;
import io.quarkus.security.ForbiddenException;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.Response;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Submits tasks over HTTP: reads headers and body, waits for the end of foreground tasks, and maps
 * the outcome to a status.
 */
@Singleton
class TaskEndpoint {

  private static final int MAX_WAIT_SECONDS = 600;
  private static final Duration DEFAULT_WAIT = Duration.ofSeconds(60);

  private final RequestBodies bodies;
  private final NewRoots roots;
  private final ClientTasks tasks;
  private final ClientLimits limits;
  private final AfterResponse afterResponse;
  private final Visibility visibility;
  private final Callers callers;
  private final RequestedCallbacks callbacks;
  private final ConsoleUrl console;

  TaskEndpoint(
      RequestBodies bodies,
      NewRoots roots,
      ClientTasks tasks,
      ClientLimits limits,
      AfterResponse afterResponse,
      Visibility visibility,
      Callers callers,
      RequestedCallbacks callbacks,
      ConsoleUrl console) {
    this.bodies = bodies;
    this.roots = roots;
    this.tasks = tasks;
    this.limits = limits;
    this.afterResponse = afterResponse;
    this.visibility = visibility;
    this.callers = callers;
    this.callbacks = callbacks;
    this.console = console;
  }

  Response submit(IdempotencyHeader header, List<String> prefer, @Nullable JsonNode body)
      throws JsonProcessingException {
    var wait = waitFor(prefer);
    var fields = bodies.object(body).deepCopy();
    var key = header.of(IdempotencyKey.KeyScope.TASKS, fields);
    var parent = parent(fields.remove(SubmissionProblem.PARENT));
    TaskSubmission submission;
    try {
      submission = submission(parent, fields, key, wait);
    } catch (Refusal refused) {
      return repeated(key, wait).orElseThrow(() -> refused);
    }
    try (var _ = limits.waiting(submission.waitsFor())) {
      var result = tasks.submit(submission);
      Failpoint.SUBMITTED.pass();
      return answer(result, wait);
    }
  }

  private TaskSubmission submission(
      Optional<SessionId> parent, ObjectNode fields, @Nullable IdempotencyKey key, Duration wait)
      throws JsonProcessingException {
    var delegating =
        parent
            .<TaskSubmission.Parent>map(TaskSubmission.Parent.Existing::new)
            .orElseGet(() -> new TaskSubmission.Parent.NewRoot(roots.external()));
    var callback = callback(fields.remove(NewTaskBody.CALLBACK));
    var client = new TaskCaller.Client(key, wait, callback);
    return new TaskSubmission(delegating, client, request(fields));
  }

  /**
   * Answers a request that repeats an accepted one, whose checks may fail by now: the host of a
   * callback may not be found, for example. The caller has checked that the client may see the
   * session that delegates.
   *
   * @return empty when the key is new, expired or absent
   * @throws Refusal the key was used for another request
   */
  Optional<Response> repeated(@Nullable IdempotencyKey key, Duration wait) {
    return Optional.ofNullable(key)
        .flatMap(tasks::repeated)
        .map(first -> {
          try (var _ = limits.waiting(isInBackground(first) ? Duration.ZERO : wait)) {
            return answer(first, wait);
          }
        });
  }

  private static boolean isInBackground(SubmitResult submission) {
    return submission instanceof SubmitResult.Accepted accepted && accepted.task().background();
  }

  /** Returns how long a client waits for a foreground task: 60 s without the header. */
  static Duration waitFor(List<String> prefer) {
    return Prefer.waitFor(prefer, MAX_WAIT_SECONDS).orElse(DEFAULT_WAIT);
  }

  /**
   * Answers a submission; waits for the end of an accepted foreground task.
   *
   * @throws Refusal the submission was refused
   */
  Response answer(SubmitResult submission, Duration wait) {
    return switch (submission) {
      case SubmitResult.Refused refused -> throw SubmissionProblem.of(refused);
      case SubmitResult.Accepted accepted -> answer(accepted, wait);
    };
  }

  /** Returns the session that delegates; empty for a new root session. */
  private Optional<SessionId> parent(@Nullable JsonNode id) {
    if (id == null || id.isNull()) {
      if (callers.current().filter(caller -> caller.role() == Role.SESSION).isPresent()) {
        throw new ForbiddenException();
      }
      return Optional.empty();
    }
    var parent =
        SessionId.parse(id.asText())
            .filter(_ -> id.isTextual())
            .orElseThrow(() ->
                Refusal.invalid(
                    SubmissionProblem.PARENT,
                    "must be a session id (ses_ and 32 hexadecimal digits)"));
    if (!visibility.includes(parent)) {
      throw SubmissionProblem.of(SubmitResult.Refused.unknownParent(parent));
    }
    return Optional.of(parent);
  }

  private @Nullable TaskCallback callback(@Nullable JsonNode given) throws JsonProcessingException {
    if (given == null || given.isNull()) {
      return null;
    }
    var field = JsonNodeFactory.instance.objectNode().set(NewTaskBody.CALLBACK, given);
    var asked = bodies.read(field, NewTaskBody.TaskParent.class).callback();
    return callbacks.check(Objects.requireNonNull(asked));
  }

  private static TaskRequest request(ObjectNode fields) {
    fields.removeNulls();
    TaskSchema.canonicalize(fields);
    var problems = NewTaskBody.problems(fields);
    if (!problems.isEmpty()) {
      throw Refusal.invalid(problems);
    }
    return TaskSchema.read(fields);
  }

  private Response answer(SubmitResult.Accepted accepted, Duration wait) {
    var task = accepted.task();
    visibility.remember(task.id(), task.parent());
    var page = console.page(task.id()).orElse(null);
    var response =
        switch (tasks.await(accepted, wait)) {
          case TaskAnswer.ComesLater _ ->
              Response.accepted(shown(TaskToolResult.accepted(accepted, page), task));
          case TaskAnswer.StillRunning(var now) ->
              Response.accepted(shown(TaskToolResult.running(now, page), now));
          case TaskAnswer.EndedInTime(var now) -> {
            afterResponse.run(() -> tasks.received(now), () -> tasks.left(now));
            yield Response.ok(shown(TaskToolResult.of(now), now));
          }
          case TaskAnswer.Deleted _ -> throw Refusal.notFound("task", task.id());
        };
    return response.location(URI.create("/v1/tasks/" + task.id())).build();
  }

  /** Returns the result with the task's callback and its secret. */
  private TaskToolResult shown(TaskToolResult result, Task task) {
    return task.callbackEvents().isEmpty()
        ? result
        : callbacks
            .registered(task.id().value(), "Task " + task.id() + " was accepted")
            .map(result::withCallback)
            .orElse(result);
  }
}
