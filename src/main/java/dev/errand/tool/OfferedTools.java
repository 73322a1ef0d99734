package dev.errand.tool;

import dev.errand.conversation.ToolDefinition;
import dev.errand.permission.Permissions;
import dev.errand.tool.ToolRegistry.RegisteredTool;
import java.util.ArrayList;
import java.util.List;

/**
 * The tools that a model gets in a request.
 *
 * @param tools sorted by name
 * @param guide what the system prompt says of them; may be empty
 */
public record OfferedTools(List<ToolDefinition> tools, String guide) {

  public OfferedTools {
    tools = List.copyOf(tools);
  }

  static OfferedTools of(List<RegisteredTool> entries, Permissions permissions, ToolUser user) {
    var tools = new ArrayList<ToolDefinition>();
    var guides = new ArrayList<String>();
    for (var entry : entries) {
      var tool = entry.definition(permissions, user);
      var choices = entry.tool().choices(permissions, user);
      tools.add(choices.map(some -> some.fitting(tool)).orElse(tool));
      choices.map(all -> all.guide(entry.name())).ifPresent(guides::add);
    }
    return new OfferedTools(tools, String.join("\n\n", guides));
  }
}
