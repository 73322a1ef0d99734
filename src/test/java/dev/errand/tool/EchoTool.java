package dev.errand.tool;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.ToolEffect;
import java.util.function.Function;

/** A tool with one required and one optional parameter, whose outcome a test decides. */
record EchoTool(Function<ObjectNode, ToolOutcome> behaviour) implements Tool {

  @Override
  public ToolDefinition definition() {
    var parameters =
        ParameterSchema.object().string("text", "Text.").required().integer("count", "", 1, 2);
    return new ToolDefinition("echo", "Returns the text.", parameters.build());
  }

  @Override
  public ToolEffect effect() {
    return ToolEffect.PURE;
  }

  @Override
  public void canonicalize(ObjectNode arguments) {
    if (arguments.has("content")) {
      arguments.set("text", arguments.remove("content"));
    }
  }

  @Override
  public ToolOutcome call(ObjectNode arguments, ToolContext context) {
    return behaviour.apply(arguments);
  }
}
