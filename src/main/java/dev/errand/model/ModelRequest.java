package dev.errand.model;

import dev.errand.conversation.Message;
import dev.errand.conversation.ToolDefinition;
import java.util.List;

/**
 * What a model is asked.
 *
 * @param system the agent's instructions
 * @param conversation the transcript; starts with a user message, every tool call is answered by
 *     the tool message that follows it; system messages in it are for people and are left out
 * @param tools what the model may call; empty for a closing turn
 */
public record ModelRequest(String system, List<Message> conversation, List<ToolDefinition> tools) {

  public ModelRequest {
    conversation = List.copyOf(conversation);
    tools = List.copyOf(tools);
  }
}
