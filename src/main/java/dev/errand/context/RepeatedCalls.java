package dev.errand.context;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.Content;
import dev.errand.conversation.Message;
import dev.errand.conversation.MessageRole;
import dev.errand.session.StoredMessage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Notices that an agent makes the same call in a row – same tool, arguments and result – since the
 * last message to it. From the third time on the result says so, in what is sent; after {@link
 * #LIMIT} the run gets its closing turn.
 */
final class RepeatedCalls {

  /** The number of identical calls that ends the run. */
  static final int LIMIT = 6;

  private static final int NOTED_FROM = 3;

  /** Tools with which an agent waits for its tasks. Their calls neither count nor end a row. */
  private static final Set<String> EXEMPT = Set.of("task_output", "TaskOutput", "task_list");

  /** A call and its result. */
  private record FinishedCall(String tool, JsonNode arguments, String result, boolean isError) {}

  private final Map<String, Content.ToolCall> asked = new HashMap<>();
  private final List<StoredMessage> noted = new ArrayList<>();
  private @Nullable FinishedCall last;
  private int count;

  RepeatedCalls(List<StoredMessage> messages) {
    messages.forEach(this::read);
  }

  /** Returns whether the last call was repeated {@link #LIMIT} times. */
  boolean endRun() {
    return count >= LIMIT;
  }

  /** Returns the messages with notes about repetitions. */
  List<StoredMessage> noted() {
    return noted;
  }

  private void read(StoredMessage stored) {
    var message = stored.message();
    if (message.role() == MessageRole.USER) {
      last = null;
      count = 0;
    }
    if (message.role() == MessageRole.ASSISTANT) {
      asked.clear();
      message.toolCalls().forEach(call -> asked.put(call.id(), call));
    }
    noted.add(message.role() == MessageRole.TOOL ? stored.with(read(message.content())) : stored);
  }

  private Message read(List<Content> results) {
    return Message.tool(
        results.stream()
            .filter(Content.ToolResult.class::isInstance)
            .map(result -> noted((Content.ToolResult) result))
            .toList());
  }

  private Content.ToolResult noted(Content.ToolResult result) {
    var call = asked.get(result.toolCallId());
    if (call == null || EXEMPT.contains(call.name())) {
      return result;
    }
    var done = new FinishedCall(call.name(), call.arguments(), result.text(), result.isError());
    count = done.equals(last) ? count + 1 : 1;
    last = done;
    if (count < NOTED_FROM) {
      return result;
    }
    var note =
        "\n\n(You have made this call %d times in a row, with this result. Do something else.)";
    return new Content.ToolResult(
        result.toolCallId(), result.text() + note.formatted(count), result.isError());
  }
}
