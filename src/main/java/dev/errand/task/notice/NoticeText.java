package dev.errand.task.notice;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.UntrustedText;
import dev.errand.task.EndedTask;
import dev.errand.task.Task;
import dev.errand.task.TaskOutcome;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a parent's texts about its tasks. The child's words, and the names that it was
 * given, are quoted as data by {@link UntrustedText}.
 */
final class NoticeText {

  private NoticeText() {}

  static String metadata(EndedTask ended) {
    return metadata(ended.task(), ended.outcome().state().word());
  }

  /** The ids by which a caller refers to the task later. */
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
    status: %s%s
    </task_metadata>\
    """
        .formatted(
            notes(task), task.id(), task.child(), status, origin == null ? "" : lines(origin));
  }

  private static String notes(Task task) {
    return task.notes().stream()
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

  /** A label between the quotes and brackets of the header, which it cannot close. */
  static String label(String words) {
    return UntrustedText.line(words).replace('\'', '’').replace('[', '(').replace(']', ')');
  }
}
