package dev.errand.run;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.ToolEffect;
import dev.errand.session.Lease;
import dev.errand.tool.ParameterSchema;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolOutcome;
import dev.errand.tool.UninterruptibleTool;
import jakarta.inject.Singleton;

/**
 * The tool {@code message}: sends a message to the user while the work continues. Clients that
 * follow the session's events receive it, with the session's origin, and so does the session's
 * callback.
 */
@Singleton
class MessageTool implements UninterruptibleTool {

  /** Most chats accept a message of this length. */
  static final int MAX_CHARS = 4_000;

  private final OutgoingMessages messages;

  MessageTool(OutgoingMessages messages) {
    this.messages = messages;
  }

  @Override
  public ToolDefinition definition() {
    return new ToolDefinition(
        "message",
        "Send message",
        """
        Sends a message to the user now, while you continue working: for example that a long task has started, or what you found so far. \
        You get no reply to it. The text at the end of your turn reaches the user without this tool.\
        """,
        ParameterSchema.object()
            .string("text", "What to say, at most %d characters.".formatted(MAX_CHARS))
            .maxLength(MAX_CHARS)
            .required()
            .build());
  }

  /** The message is stored with the call, so a repeated call sends nothing. */
  @Override
  public ToolEffect effect() {
    return ToolEffect.CHECKED;
  }

  @Override
  public ToolOutcome call(ObjectNode arguments, ToolContext context) {
    var text = arguments.get("text").asText();
    messages.send(new Lease(context.session(), context.epoch()), context.toolCallId(), text);
    return ToolOutcome.ok("Sent to the session's stream.");
  }
}
