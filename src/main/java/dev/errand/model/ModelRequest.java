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
 * @param tools the tools that the model may call; empty for a final turn
 */
public record ModelRequest(String system, List<Message> conversation, List<ToolDefinition> tools) {

  public ModelRequest {
    conversation = List.copyOf(conversation);
    tools = List.copyOf(tools);
  }
}
