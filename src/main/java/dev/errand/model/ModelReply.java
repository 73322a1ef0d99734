package dev.errand.model;

import dev.errand.conversation.Content;
import dev.errand.conversation.Usage;
import java.util.List;

/**
 * The answer of a model.
 *
 * @param text empty if the model only calls tools
 * @param toolCalls empty if the model has finished; their ids are unique in this reply
 * @param cut whether the text ends where the token limit was reached
 */
public record ModelReply(String text, List<Content.ToolCall> toolCalls, Usage usage, boolean cut) {

  public ModelReply {
    toolCalls = List.copyOf(toolCalls);
  }

  public ModelReply(String text, List<Content.ToolCall> toolCalls, Usage usage) {
    this(text, toolCalls, usage, false);
  }

  /** The same with this usage. */
  ModelReply using(Usage known) {
    return new ModelReply(text, toolCalls, known, cut);
  }

  /** This answer, which was cut, and the rest of it. */
  public ModelReply with(ModelReply rest) {
    return new ModelReply(
        text + rest.text(), rest.toolCalls(), usage.plus(rest.usage()), rest.cut());
  }
}
