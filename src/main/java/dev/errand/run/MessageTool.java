package dev.errand.run;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.ToolDefinition;
import dev.errand.session.Lease;
import dev.errand.tool.ParameterSchema;
import dev.errand.tool.Tool;
import dev.errand.tool.ToolContext;
import dev.errand.conversation.ToolEffect;
import dev.errand.tool.ToolOutcome;
import jakarta.enterprise.context.ApplicationScoped;

/**
 * The tool {@code message}: says something to the user while the work goes on. Whoever follows the
 * session's events gets it, with the session's origin, and so does the session's callback.
 */
@ApplicationScoped
class MessageTool implements Tool {

  /** What fits into one message of most chats. */
  static final int MAX_CHARS = 4_000;

  private final OutgoingMessages messages;

  MessageTool(OutgoingMessages messages) {
    this.messages = messages;
  }

  @Override
  public ToolDefinition definition() {
    return new ToolDefinition(
        "message",
        """
        Says something to the user now, while you go on working: that a long task has begun, or what is found so far. \
        There is no answer to it. What you say at the end of your turn reaches the user without this tool.\
        """,
        ParameterSchema.object()
            .string("text", "What to say, at most %d characters.".formatted(MAX_CHARS))
            .required()
            .build());
  }

  /** The call's message is kept with the call, so making it again sends nothing. */
  @Override
  public ToolEffect effect() {
    return ToolEffect.CHECKED;
  }

  @Override
  public boolean interruptible() {
    return false;
  }

  @Override
  public ToolOutcome call(ObjectNode arguments, ToolContext context) {
    var text = arguments.get("text").asText();
    if (text.length() > MAX_CHARS) {
      return ToolOutcome.error("text: must have at most %d characters".formatted(MAX_CHARS));
    }
    messages.send(new Lease(context.session(), context.epoch()), context.toolCallId(), text);
    return ToolOutcome.ok("Sent to the session's stream.");
  }
}
