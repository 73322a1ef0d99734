package dev.errand.mcp;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.http.ConsoleUrl;
import dev.errand.task.Task;
import dev.errand.task.TaskState;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.stream.Stream;

/** Shows tasks as those of the protocol. */
@Singleton
class TaskStates {

  /** How long an answer can be asked for after the end of its task. */
  private static final Duration KEPT = Duration.ofHours(24);

  private static final Duration OFTEN = Duration.ofSeconds(30);
  private static final int OFTEN_MS = 2_000;
  private static final int LATER_MS = 5_000;

  private final ToolResults results;
  private final ConsoleUrl console;
  private final Clock clock;

  TaskStates(ToolResults results, ConsoleUrl console, Clock clock) {
    this.results = results;
    this.console = console;
    this.clock = clock;
  }

  /** Returns a {@code CreateTaskResult}: the task in place of the result of a call. */
  ObjectNode created(Task task) {
    return state(task).put("resultType", "task");
  }

  /** Returns the state of a task, with its result when it has one. */
  ObjectNode of(Task task) {
    var state = state(task);
    if (hasResult(task)) {
      state.set("result", results.of(task).put("resultType", "complete"));
    }
    return state;
  }

  /** A cancelled task has no result. */
  static boolean hasResult(Task task) {
    return task.outcome().isPresent() && task.state() != TaskState.CANCELLED;
  }

  private ObjectNode state(Task task) {
    var now = clock.instant();
    var until = Objects.requireNonNullElse(task.endedAt(), now);
    var age = Duration.between(task.createdAt(), now);
    return JsonNodeFactory.instance
        .objectNode()
        .put("taskId", task.id().value().toString())
        .put("status", status(task))
        .put("statusMessage", message(task))
        .put("createdAt", text(task.createdAt()))
        .put("lastUpdatedAt", text(updatedAt(task)))
        .put("ttlMs", Duration.between(task.createdAt(), until).plus(KEPT).toMillis())
        .put("pollIntervalMs", age.compareTo(OFTEN) < 0 ? OFTEN_MS : LATER_MS);
  }

  private static String status(Task task) {
    if (task.state().isLive()) {
      return "working";
    }
    return task.state() == TaskState.CANCELLED ? "cancelled" : "completed";
  }

  /** Says how far a task is, and where a person can watch it. */
  private String message(Task task) {
    return line(task) + console.page(task.id()).map(page -> " · watch it at " + page).orElse("");
  }

  /** Says how far a task is: {@code turn 3 · grep · 41 s}. */
  static String line(Task task) {
    var progress = task.progress();
    if (!task.state().isLive()) {
      return task.state().word();
    }
    return progress == null ? task.state().word() : progress.line();
  }

  private static Instant updatedAt(Task task) {
    var progress = task.progress();
    return Stream.of(
            task.createdAt(),
            task.startedAt(),
            progress == null ? null : progress.at(),
            task.endedAt())
        .filter(Objects::nonNull)
        .max(Instant::compareTo)
        .orElseThrow();
  }

  private static String text(Instant time) {
    return time.truncatedTo(ChronoUnit.MILLIS).toString();
  }
}
