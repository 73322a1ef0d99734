package dev.errand.model;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.Content;
import dev.errand.conversation.Message;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.Usage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One language model of one provider.
 *
 * <p>Contract: thread-safe; blocks the calling thread until the answer is complete; an interrupt of
 * that thread ends the call soon; every fault, an interrupt included, is a {@link ModelException},
 * and no other exception is thrown but those of the {@link RequestSource}.
 */
public interface LanguageModel {

  /**
   * One turn of the model. Stateless: the same request may be sent again. Nothing of the request is
   * kept while the model answers.
   */
  ModelReply reply(RequestSource request);

  /**
   * Makes a request when it is sent, and again when the call is repeated, so that no conversation
   * is in memory while its model answers.
   */
  interface RequestSource {

    /**
     * Returns the request, the same each time. May read it from the database.
     *
     * @throws RuntimeException it cannot be made again; the call ends with this
     */
    ModelRequest make();

    /** An estimate of its size in tokens; 0 when there is none. */
    long tokens();

    /** The request was sent, and is not needed until it is made again. Any thread; idempotent. */
    void sent();
  }

  /**
   * The answer of a model.
   *
   * @param text empty if the model only calls tools
   * @param toolCalls empty if the model has finished; their ids are unique in this reply
   * @param ending where the text ends
   * @param metadata what the provider needs back with the text; null if there is nothing, and when
   *     there are calls, which carry theirs
   */
  record ModelReply(
      String text,
      List<Content.ToolCall> toolCalls,
      Usage usage,
      Ending ending,
      @Nullable JsonNode metadata) {

    /** Where a text ends. */
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

    /** Whether the end of the text is missing. */
    public boolean cut() {
      return ending != Ending.COMPLETE;
    }

    /** The same with this usage. */
    ModelReply using(Usage known) {
      return new ModelReply(text, toolCalls, known, ending, metadata);
    }

    /** This answer, which was cut, and the rest of it. */
    public ModelReply with(ModelReply rest) {
      return new ModelReply(
          text + rest.text(), rest.toolCalls(), usage.plus(rest.usage()), rest.ending());
    }
  }

  /**
   * A request to a model.
   *
   * @param system the instructions of the agent
   * @param conversation the transcript; it starts with a user message, and the results of tool
   *     calls are in the next tool message; system messages are for people and are not sent
   * @param tools the tools of the agent
   * @param closing whether this is the last turn, in which the model sees its tools but may not
   *     call them: providers refuse a conversation with tool calls without tools, and the beginning
   *     of the request stays in their caches
   * @param tokens an estimate of its size; 0 when there is none
   */
  record ModelRequest(
      String system,
      List<Message> conversation,
      List<ToolDefinition> tools,
      boolean closing,
      long tokens)
      implements RequestSource {

    public ModelRequest {
      conversation = List.copyOf(conversation);
      tools = List.copyOf(tools);
    }

    public ModelRequest(String system, List<Message> conversation, List<ToolDefinition> tools) {
      this(system, conversation, tools, false, 0);
    }

    @Override
    public ModelRequest make() {
      return this;
    }

    @Override
    public void sent() {}
  }
}
