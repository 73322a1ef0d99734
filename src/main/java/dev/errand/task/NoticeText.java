package dev.errand.task;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The pieces of what a parent reads of its tasks. The child's words, and the names it was given,
 * are quoted as data: what looks like our own markup in them is defused (C3).
 */
final class NoticeText {

  private static final int LONGEST_LINE = 500;

  private static final Pattern OUR_TAG =
      Pattern.compile("<(?=[\\s/]*task_)", Pattern.CASE_INSENSITIVE);
  private static final Pattern OUR_HEADER =
      Pattern.compile("\\[(?=\\s*subagent\\b)", Pattern.CASE_INSENSITIVE);
  private static final Pattern NOT_PRINTED = Pattern.compile("[\\s\\p{Cntrl}\\u2028\\u2029]+");

  private NoticeText() {}

  static String metadata(TaskOutcome outcome) {
    return metadata(outcome.task(), outcome.ending().state().word());
  }

  /** How a caller can refer to the task later. */
  static String metadata(Task task, String status) {
    return metadata(task, status, null);
  }

  /**
   * @param origin where the answer belongs, {@code {"channel": …, "chat_id": …}}; null when nobody
   *     said (D7)
   */
  static String metadata(Task task, String status, @Nullable JsonNode origin) {
    return """
    <task_metadata>
    task_id: %s
    session_id: %s
    status: %s%s
    </task_metadata>\
    """
        .formatted(task.id(), task.kin().child(), status, origin == null ? "" : lines(origin));
  }

  private static String lines(JsonNode origin) {
    var lines = new StringBuilder();
    for (var name : new String[] {"channel", "chat_id"}) {
      if (origin.hasNonNull(name)) {
        lines.append('\n').append(name).append(": ").append(line(origin.get(name).asText()));
      }
    }
    return lines.toString();
  }

  static String saidSoFar(Ending ending) {
    return ending.result().isBlank()
        ? ""
        : "\nResult so far:\n<task_result>\n" + quoted(ending.result()) + "\n</task_result>";
  }

  /** Text of several lines. */
  static String quoted(String words) {
    return OUR_HEADER.matcher(OUR_TAG.matcher(words).replaceAll("&lt;")).replaceAll("&#91;");
  }

  /** What stands behind a word of ours on one line: it cannot begin a line of its own. */
  static String line(String words) {
    var plain = NOT_PRINTED.matcher(words).replaceAll(" ").strip();
    return quoted(plain.length() <= LONGEST_LINE ? plain : cut(plain) + " …");
  }

  private static String cut(String text) {
    var end = Character.isHighSurrogate(text.charAt(LONGEST_LINE - 1)) ? 1 : 0;
    return text.substring(0, LONGEST_LINE - end);
  }

  /** A label between the quotes and brackets of our header: it cannot close them. */
  static String label(String words) {
    return line(words).replace('\'', '’').replace('[', '(').replace(']', ')');
  }
}
