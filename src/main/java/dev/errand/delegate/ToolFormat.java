package dev.errand.delegate;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.ToolEffect;
import dev.errand.conversation.Word;

/**
 * The formats of tool definitions.
 *
 * <pre>{@code
 * openai     {"type": "function", "function": {"name": "task", "description": "…", "parameters": {…}}}
 * anthropic  {"name": "task", "description": "…", "input_schema": {…}}
 * mcp        {"name": "task", "title": "Delegate task", "description": "…", "inputSchema": {…}, "annotations": {"readOnlyHint": false, …}}
 * }</pre>
 */
public enum ToolFormat implements Word {
  OPENAI {
    @Override
    public ObjectNode write(ToolDefinition tool, ToolEffect effect) {
      var outer = JsonNodeFactory.instance.objectNode().put("type", "function");
      outer.set("function", named(tool).set("parameters", tool.parameters()));
      return outer;
    }
  },
  ANTHROPIC {
    @Override
    public ObjectNode write(ToolDefinition tool, ToolEffect effect) {
      return named(tool).set("input_schema", tool.parameters());
    }
  },
  MCP {
    @Override
    public ObjectNode write(ToolDefinition tool, ToolEffect effect) {
      var outer = named(tool);
      if (tool.title() != null) {
        outer.put("title", tool.title());
      }
      outer.set("inputSchema", tool.parameters());
      outer
          .putObject("annotations")
          .put("readOnlyHint", effect == ToolEffect.PURE)
          .put("destructiveHint", effect != ToolEffect.PURE)
          .put("idempotentHint", effect == ToolEffect.PURE);
      return outer;
    }
  };

  public abstract ObjectNode write(ToolDefinition tool, ToolEffect effect);

  private static ObjectNode named(ToolDefinition tool) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("name", tool.name())
        .put("description", tool.description());
  }
}
