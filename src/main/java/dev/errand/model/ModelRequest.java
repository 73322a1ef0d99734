package dev.errand.model;

import dev.errand.conversation.Message;
import dev.errand.conversation.ToolDefinition;
import java.util.List;

/**
 * A request to a model.
 *
 * @param system the instructions of the agent
 * @param conversation the transcript; it starts with a user message, and the results of tool calls
 *     are in the next tool message; system messages are for people and are not sent
 * @param tools the tools of the agent
 * @param closing whether this is the last turn, in which the model sees its tools but may not call
 *     them: providers refuse a conversation with tool calls without tools, and the beginning of the
 *     request stays in their caches
 * @param tokens an estimate of its size; 0 when there is none
 */
public record ModelRequest(
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
