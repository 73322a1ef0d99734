package dev.errand.session;

import dev.errand.conversation.Content;
import dev.errand.conversation.ToolEffect;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A tool call of the last assistant message that has no result yet.
 *
 * @param state planned, started or deferred
 * @param repeatable whether the tool allowed a repetition when the call was planned; the tool may
 *     not exist any more
 */
public record OpenCall(
    CallKey key, Content.ToolCall call, ToolCallState state, boolean repeatable) {

  /**
   * Returns the calls of a message that was just saved with them.
   *
   * @param effects of the calls, in their order
   */
  public static List<OpenCall> planned(StoredMessage asking, List<ToolEffect> effects) {
    var calls = asking.message().toolCalls();
    return IntStream.range(0, calls.size())
        .mapToObj(index ->
            new OpenCall(
                new CallKey(asking.seq(), index),
                calls.get(index),
                ToolCallState.PLANNED,
                effects.get(index).isRepeatable()))
        .toList();
  }
}
