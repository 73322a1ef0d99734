package dev.errand.model;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.Content;
import dev.errand.conversation.Usage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer of a model.
 *
 * @param text empty if the model only calls tools
 * @param toolCalls empty if the model has finished; their ids are unique in this reply
 * @param ending where the text ends
 * @param metadata what the provider needs back with the text; null if there is nothing, and when
 *     there are calls, which carry theirs
 */
public record ModelReply(
    String text,
    List<Content.ToolCall> toolCalls,
    Usage usage,
    Ending ending,
    @Nullable JsonNode metadata) {

  /** The way in which a text ends. */
  public enum Ending {
    COMPLETE,
    /** Where the token limit was reached; the model can continue it. */
    TOKEN_LIMIT,
    /** Where the provider stopped it, for example by its content filter. */
    STOPPED
  }

  public ModelReply {
    toolCalls = List.copyOf(toolCalls);
  }

  public ModelReply(String text, List<Content.ToolCall> toolCalls, Usage usage) {
    this(text, toolCalls, usage, Ending.COMPLETE);
  }

  public ModelReply(String text, List<Content.ToolCall> toolCalls, Usage usage, Ending ending) {
    this(text, toolCalls, usage, ending, null);
  }

  /** Returns whether the end of the text is missing. */
  public boolean cut() {
    return ending != Ending.COMPLETE;
  }

  /** Returns this reply with a usage. */
  ModelReply using(Usage known) {
    return new ModelReply(text, toolCalls, known, ending, metadata);
  }

  /** Returns this answer, which was cut, together with the rest of it. */
  public ModelReply with(ModelReply rest) {
    return new ModelReply(
        text + rest.text(), rest.toolCalls(), usage.plus(rest.usage()), rest.ending());
  }
}
