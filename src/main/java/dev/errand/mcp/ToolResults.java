package dev.errand.mcp;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.UntrustedText;
import dev.errand.http.ConsoleUrl;
import dev.errand.task.Task;
import dev.errand.task.TaskState;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;

/**
 * The results of tools: text for the model, and data for the client.
 *
 * <pre>{@code
 * {"content": [{"type": "text", "text": "…"}], "isError": false,
 *  "_meta": {"dev.errand/task": {"id": "task_…", "session_id": "ses_…", "state": "completed", "stop_reason": "end_turn",
 *                                "partial": false, "usage": {…}, "run_ms": 1200}}}
 * }</pre>
 */
@Singleton
class ToolResults {

  private static final String TASK = "dev.errand/task";

  private final ObjectMapper json;
  private final ConsoleUrl console;

  ToolResults(ObjectMapper json, ConsoleUrl console) {
    this.json = json;
    this.console = console;
  }

  static ObjectNode text(String text, boolean isError) {
    var result = JsonNodeFactory.instance.objectNode();
    result.putArray("content").addObject().put("type", "text").put("text", text);
    return result.put("isError", isError);
  }

  /** Returns the result for a task that was accepted, and whose result the client reads later. */
  ObjectNode started(Task task) {
    var lines = new ArrayList<String>();
    lines.add(
        "The task is started, task_id %s; continue with other work, then call task_output with wait_ms."
            .formatted(task.id()));
    lines.addAll(link(task));
    lines.addAll(task.allNotes());
    return about(task, text(String.join("\n", lines), false));
  }

  /** Returns the result for a task that has not ended within the wait. */
  ObjectNode running(Task task) {
    var lines = new ArrayList<String>();
    lines.add(
        "The task is still running, task_id %s; call task_output with wait_ms to read its result."
            .formatted(task.id()));
    lines.addAll(link(task));
    return about(task, text(String.join("\n", lines), false));
  }

  private List<String> link(Task task) {
    return console.page(task.id()).stream()
        .map(page -> "A person can watch it at " + page)
        .toList();
  }

  /** Returns what is known of a task: its result when it has ended. */
  ObjectNode of(Task task) {
    return task.outcome().isPresent() ? ended(task) : running(task);
  }

  /** Returns the answer of the subagent first, then how it ended unless it has completed. */
  private ObjectNode ended(Task task) {
    var parts = new ArrayList<String>();
    var answer = task.end().result();
    if (!answer.isEmpty()) {
      parts.add(answer);
    }
    parts.addAll(status(task));
    if (parts.isEmpty()) {
      parts.add("The task has completed; its answer has no words.");
    }
    return about(task, text(String.join("\n\n", parts), task.state() != TaskState.COMPLETED));
  }

  private static List<String> status(Task task) {
    var outcome = task.end();
    var problem = outcome.problem();
    if (task.redacted()) {
      return List.of("The answer of the task was deleted.");
    }
    if (problem != null) {
      return List.of(
          "[The task %s ended %s: %s: %s]"
              .formatted(
                  task.id(),
                  outcome.state().word(),
                  problem.code(),
                  UntrustedText.line(problem.message())));
    }
    return outcome.partial() || task.state() != TaskState.COMPLETED
        ? List.of(
            "[The task %s ended %s: %s%s]"
                .formatted(
                    task.id(),
                    outcome.state().word(),
                    outcome.stopReason().word(),
                    outcome.partial() ? "; the answer is partial" : ""))
        : List.of();
  }

  private ObjectNode about(Task task, ObjectNode result) {
    var data = result.withObjectProperty(Protocol.META).putObject(TASK);
    data.put("id", task.id().toString());
    data.put("session_id", task.child().toString());
    data.put("state", task.state().word());
    data.put("stop_reason", task.outcome().map(end -> end.stopReason().word()).orElse(null));
    data.put("partial", task.outcome().map(end -> end.partial()).orElse(false));
    data.set("usage", json.valueToTree(task.usage()));
    data.put("run_ms", task.runMs());
    return result;
  }
}
