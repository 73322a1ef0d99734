package dev.errand.model;

import dev.errand.conversation.Content;
import dev.errand.conversation.Usage;
import java.util.List;

/**
 * What a model answered, whole.
 *
 * @param text empty when it only calls tools
 * @param toolCalls empty when it has nothing more to do; their ids are unique in this reply
 */
public record ModelReply(String text, List<Content.ToolCall> toolCalls, Usage usage) {

  public ModelReply {
    toolCalls = List.copyOf(toolCalls);
  }
}
