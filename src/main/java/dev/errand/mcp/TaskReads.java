package dev.errand.mcp;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.auth.Callers;
import dev.errand.conversation.Word;
import dev.errand.delegate.ClientTools;
import dev.errand.delegate.TaskLines;
import dev.errand.task.Task;
import dev.errand.task.TaskList;
import dev.errand.task.TaskState;
import dev.errand.task.TaskStopper;
import dev.errand.tool.ToolFailure;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Optional;

/**
 * The tools {@code task_output}, {@code task_cancel} and {@code task_list}, and {@code tasks/*}.
 */
@Singleton
class TaskReads {

  private final ClientTools tools;
  private final KnownTasks known;
  private final ToolResults results;
  private final TaskStates states;
  private final TaskStopper stopper;
  private final Delegator delegator;
  private final TaskList tasks;
  private final TaskLines lines;
  private final Callers callers;

  TaskReads(
      ClientTools tools,
      KnownTasks known,
      ToolResults results,
      TaskStates states,
      TaskStopper stopper,
      Delegator delegator,
      TaskList tasks,
      TaskLines lines,
      Callers callers) {
    this.tools = tools;
    this.known = known;
    this.results = results;
    this.states = states;
    this.stopper = stopper;
    this.delegator = delegator;
    this.tasks = tasks;
    this.lines = lines;
    this.callers = callers;
  }

  /** Answers the tool {@code task_output}: waits if the model wants to. */
  Reply output(ObjectNode given) {
    var fields = tools.checked("task_output", given);
    var task = named(fields);
    if (task.outcome().isPresent()) {
      return new Reply.Result(results.of(task), Optional.of(task));
    }
    var wait = Duration.ofMillis(fields.path("wait_ms").asLong());
    return wait.isZero()
        ? Reply.Result.of(results.running(task))
        : new Reply.OnStream(task, wait, null);
  }

  /** Answers the tool {@code task_cancel}. */
  Reply cancel(ObjectNode given) {
    var task = named(tools.checked("task_cancel", given));
    var now = stopper.cancelOwn(task.id()).orElse(task);
    return Reply.Result.of(
        ToolResults.text("The task %s is %s.".formatted(now.id(), now.state().word()), false));
  }

  /** Answers the tool {@code task_list}. */
  Reply list(McpCall call, ObjectNode given) {
    var fields = tools.checked("task_list", given);
    var state = fields.has("state") ? Word.of(TaskState.class, fields.get("state").asText()) : null;
    var parent = delegator.of(call.header(Protocol.SESSION_HEADER));
    var found =
        parent
            .map(session -> tasks.delegatedBy(session, state, TaskLines.MOST + 1))
            .orElseGet(
                () -> tasks.ofOwner(callers.tenant(), callers.owner(), state, TaskLines.MOST + 1));
    return Reply.Result.of(ToolResults.text(lines.of(found), false));
  }

  /** Answers the method {@code tasks/get}. */
  Reply get(McpCall call) {
    var task = ofProtocol(call);
    return new Reply.Result(states.of(task), Optional.of(task).filter(TaskStates::hasResult));
  }

  /** Answers the method {@code tasks/cancel}; a task that has ended is not changed. */
  Reply cancel(McpCall call) {
    stopper.cancelOwn(ofProtocol(call).id());
    return Reply.Result.of(call.params().objectNode());
  }

  /** Answers the method {@code tasks/update}. No task asks its client for anything. */
  Reply update(McpCall call) {
    ofProtocol(call);
    if (!call.params().path("inputResponses").isObject()) {
      throw Fault.invalidParams("inputResponses: must be an object");
    }
    return Reply.Result.of(call.params().objectNode());
  }

  private Task named(ObjectNode fields) {
    var id = fields.get("task_id").asText();
    return known
        .findNamed(id)
        .orElseThrow(() ->
            new ToolFailure(
                "task_id: there is no task '%s'; task_list shows your tasks".formatted(id)));
  }

  private Task ofProtocol(McpCall call) {
    var id = call.text("taskId").orElseThrow(() -> Fault.invalidParams("taskId: must be a text"));
    return known.find(id).orElseThrow(() -> Fault.invalidParams("taskId: there is no such task"));
  }
}
