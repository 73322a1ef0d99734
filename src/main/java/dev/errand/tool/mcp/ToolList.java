package dev.errand.tool.mcp;

import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.UntrustedText;
import dev.errand.secret.Secrets;
import dev.errand.tool.Tool;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Converts the tools that a server lists into tools of the service. */
final class ToolList {

  private static final Logger LOG = Logger.getLogger(ToolList.class);

  private ToolList() {}

  /** Sorted by name, so that the same list always gives the same names. */
  static List<Tool> of(McpServer server, @Nullable Set<String> only, List<McpSchema.Tool> listed) {
    var names = new ToolNames(server.name());
    var chosen =
        listed.stream()
            .filter(tool -> only == null || only.contains(tool.name()))
            .sorted(Comparator.comparing(McpSchema.Tool::name))
            .toList();
    return chosen.stream().<Tool>map(tool -> tool(server, names.name(tool.name()), tool)).toList();
  }

  private static McpTool tool(McpServer server, String name, McpSchema.Tool tool) {
    var input = InputSchema.of(tool.inputSchema());
    if (input.problem() != null) {
      LOG.warnf("The schema of %s %s; models may send any object", name, input.problem());
    }
    var title =
        tool.title() == null || tool.title().isBlank()
            ? null
            : Secrets.masked(UntrustedText.line(tool.title()));
    var definition =
        new ToolDefinition(name, title, Secrets.masked(description(tool)), input.schema());
    return new McpTool(server, tool.name(), definition, isReadOnly(tool));
  }

  private static String description(McpSchema.Tool tool) {
    for (var text : new String[] {tool.description(), tool.title()}) {
      if (text != null && !text.isBlank()) {
        return text.strip();
      }
    }
    return tool.name();
  }

  private static boolean isReadOnly(McpSchema.Tool tool) {
    return tool.annotations() != null && Boolean.TRUE.equals(tool.annotations().readOnlyHint());
  }
}
