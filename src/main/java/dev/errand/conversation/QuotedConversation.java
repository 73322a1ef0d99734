package dev.errand.conversation;

import java.util.ArrayDeque;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A transcript as text for another agent or for a summary: the newest part, of bounded length, that
 * cannot end its quotation. A single message has at most half of that length, so that a turn, its
 * calls and their results, always fits.
 */
public record QuotedConversation(List<Message> messages, long maxChars) {

  private static final int MAX_TEXT = 6_000;
  private static final int MAX_RESULT = 1_000;
  private static final int MAX_ARGUMENTS = 500;

  private static final Pattern OUR_TAG =
      Pattern.compile("<(?=[\\s/]*conversation)", Pattern.CASE_INSENSITIVE);

  public String text() {
    var shown = new ArrayDeque<String>();
    var chars = 0L;
    for (var message : messages.reversed()) {
      if (message.role() == MessageRole.SYSTEM) {
        continue;
      }
      var line = quoted(message, maxChars);
      chars += line.length();
      if (chars > maxChars) {
        shown.addFirst("(What was said before is left out.)");
        break;
      }
      shown.addFirst(line);
    }
    return String.join("\n\n", shown);
  }

  /** Returns the characters that one message has in a quotation of that length. */
  public static long chars(Message message, long maxChars) {
    return quoted(message, maxChars).length();
  }

  private static String quoted(Message message, long maxChars) {
    var line = OUR_TAG.matcher(line(message)).replaceAll("&lt;");
    return TextCut.withEllipsis(line, Math.clamp(maxChars / 2 - 1, 0, Integer.MAX_VALUE));
  }

  private static String line(Message message) {
    return message.content().stream()
        .map(QuotedConversation::part)
        .collect(Collectors.joining("\n", "[" + message.role().word() + "] ", ""));
  }

  private static String part(Content part) {
    return switch (part) {
      case Content.Text text -> TextCut.withEllipsis(text.text(), MAX_TEXT);
      case Content.ToolCall call ->
          "calls %s %s"
              .formatted(
                  call.name(), TextCut.withEllipsis(call.arguments().toString(), MAX_ARGUMENTS));
      case Content.ToolResult result ->
          (result.isError() ? "error: " : "") + TextCut.withEllipsis(result.text(), MAX_RESULT);
    };
  }
}
