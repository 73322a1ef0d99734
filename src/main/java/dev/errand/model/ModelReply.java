package dev.errand.model;

import dev.errand.conversation.Content;
import dev.errand.conversation.Usage;
import java.util.List;

/**
 * The complete answer of a model.
 *
 * @param text empty if the model only calls tools
 * @param toolCalls empty if the model has finished; their ids are unique in this reply
 */
public record ModelReply(String text, List<Content.ToolCall> toolCalls, Usage usage) {

  public ModelReply {
    toolCalls = List.copyOf(toolCalls);
  }
}
