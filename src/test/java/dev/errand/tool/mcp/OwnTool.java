package dev.errand.tool.mcp;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.ToolEffect;
import dev.errand.tool.ParameterSchema;
import dev.errand.tool.Tool;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolOutcome;

/** A tool of the service itself. */
record OwnTool(String name) implements Tool {

  @Override
  public ToolDefinition definition() {
    return new ToolDefinition(name, "A tool of the service.", ParameterSchema.object().build());
  }

  @Override
  public ToolEffect effect() {
    return ToolEffect.PURE;
  }

  @Override
  public ToolOutcome call(ObjectNode arguments, ToolContext context) {
    return ToolOutcome.ok("own result");
  }
}
