package dev.errand.task.notice;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.UntrustedText;
import dev.errand.task.Task;
import dev.errand.task.TaskOutcome;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a parent's texts about its tasks. The child's words, and the names that it was
 * given, are quoted as data by {@link UntrustedText}.
 */
final class NoticeText {

  private static final int MAX_FILES = 50;

  private NoticeText() {}

  static String metadata(Task ended) {
    return metadata(ended, ended.state().word());
  }

  /**
   * Returns the ids by which a caller refers to the task later. Agents know the child's as {@code
   * session_id}; {@code sub_session_id} is its name in the result object.
   */
  static String metadata(Task task, String status) {
    return metadata(task, status, null);
  }

  /**
   * @param origin where the answer belongs, {@code {"channel": …, "chat_id": …}}; null when not
   *     given
   */
  static String metadata(Task task, String status, @Nullable JsonNode origin) {
    return """
    %s<task_metadata>
    task_id: %s
    session_id: %s
    sub_session_id: %s
    status: %s%s
    </task_metadata>\
    """
        .formatted(
            notes(task),
            task.id(),
            task.child(),
            task.child(),
            status,
            origin == null ? "" : lines(origin));
  }

  /** Returns the files that a task with its own workspace changed; empty for other tasks. */
  static String changes(Task task) {
    var changes = task.changes();
    if (changes == null) {
      return "";
    }
    if (changes.unavailable() != null) {
      return "What it changed in its own copy of the workspace is not known.";
    }
    var files = changes.files();
    if (files.isEmpty()) {
      return "It changed no file in its own copy of the workspace.";
    }
    return """
    It changed these files in its own copy of the workspace (+%d -%d lines); yours is unchanged:
    %s%s
    %s\
    """
        .formatted(
            changes.insertions(),
            changes.deletions(),
            files.stream()
                .limit(MAX_FILES)
                .map(file -> "  " + file.status() + " " + UntrustedText.line(file.path()))
                .collect(Collectors.joining("\n")),
            files.size() > MAX_FILES ? "\n  and %d more".formatted(files.size() - MAX_FILES) : "",
            changes.truncated()
                ? "The changes are too large to be applied with task_apply."
                : "Look at the changes with task_apply and mode check, then apply them with mode"
                    + " apply.");
  }

  private static String notes(Task task) {
    return task.allNotes().stream()
        .map(note -> "Note: " + UntrustedText.line(note) + "\n")
        .collect(Collectors.joining());
  }

  private static String lines(JsonNode origin) {
    var lines = new StringBuilder();
    for (var name : new String[] {"channel", "chat_id"}) {
      if (origin.hasNonNull(name)) {
        lines
            .append('\n')
            .append(name)
            .append(": ")
            .append(UntrustedText.line(origin.get(name).asText()));
      }
    }
    return lines.toString();
  }

  static String saidSoFar(TaskOutcome outcome) {
    return outcome.result().isBlank()
        ? ""
        : "\nResult so far:\n<task_result>\n"
            + UntrustedText.quoted(outcome.result())
            + "\n</task_result>";
  }

  /** Returns a label between the quotes and brackets of the header, which it cannot close. */
  static String label(String words) {
    return UntrustedText.line(words).replace('\'', '’').replace('[', '(').replace(']', ')');
  }
}
