package dev.errand.task.notice;

import dev.errand.task.EndedTask;
import java.util.Locale;
import java.util.Map;

/** The forms of notices. */
enum NoticeForm {
  TASK_COMPLETED,
  TASK_NOT_COMPLETED,
  SPAWN_COMPLETED,
  SPAWN_FAILED;

  /**
   * All fields that a template may use. A template of an operator that uses another one fails the
   * start.
   */
  static final Map<String, Object> SAMPLE =
      Map.of(
          "outcome", "failed",
          "description", "find flights",
          "label", "flights",
          "task", "Find flights to Rome.",
          "agent", "general",
          "execution_time_ms", 1500L,
          "result", "LH 123",
          "error", "error: what went wrong",
          "changes", "modified flights.txt",
          "metadata", "<task_metadata>\n</task_metadata>");

  static NoticeForm of(EndedTask ended) {
    var completed = ended.outcome().error() == null;
    return switch (ended.task().kind()) {
      case TASK -> completed ? TASK_COMPLETED : TASK_NOT_COMPLETED;
      case SPAWN -> completed ? SPAWN_COMPLETED : SPAWN_FAILED;
    };
  }

  String file() {
    return name().toLowerCase(Locale.ROOT) + ".txt";
  }
}
