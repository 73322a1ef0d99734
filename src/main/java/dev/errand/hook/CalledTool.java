package dev.errand.hook;

import dev.errand.tool.Tool;
import dev.errand.tool.mcp.McpConfig;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A tool by its own name and by the name that Claude Code uses for such a tool.
 *
 * @param others further names that patterns may match
 */
record CalledTool(String name, String claudeName, List<String> others) {

  private static final Map<String, String> CLAUDE =
      Map.ofEntries(
          Map.entry("bash", "Bash"),
          Map.entry("read", "Read"),
          Map.entry("write", "Write"),
          Map.entry("edit", "Edit"),
          Map.entry("glob", "Glob"),
          Map.entry("grep", "Grep"),
          Map.entry("list", "LS"),
          Map.entry("webfetch", "WebFetch"),
          Map.entry("websearch", "WebSearch"),
          Map.entry("todowrite", "TodoWrite"),
          Map.entry("skill", "Skill"),
          Map.entry("task", "Task"));

  /** The other name that Claude Code uses for {@code task}. */
  private static final String AGENT = "Agent";

  static CalledTool of(Tool tool) {
    var name = tool.definition().name();
    var server = server(tool);
    return server
        .map(known -> "mcp__" + known + "__" + name.substring(known.length() + 1))
        .map(claudeName -> new CalledTool(name, claudeName, List.of()))
        .orElseGet(() -> ofService(name));
  }

  /** Returns a tool of the service, not of an MCP server. */
  static CalledTool ofService(String name) {
    var others = name.equals("task") ? List.of(AGENT) : List.<String>of();
    return new CalledTool(name, CLAUDE.getOrDefault(name, name), others);
  }

  /** Returns whether Claude Code has a tool of this name, in any case. */
  static boolean isName(String name) {
    return name.equalsIgnoreCase(AGENT)
        || CLAUDE.values().stream().anyMatch(name::equalsIgnoreCase);
  }

  private static Optional<String> server(Tool tool) {
    return tool.permissions().stream()
        .filter(permission -> permission.startsWith(McpConfig.PERMISSION))
        .map(permission -> permission.substring(McpConfig.PERMISSION.length()))
        .findFirst();
  }

  List<String> names() {
    return Stream.concat(Stream.of(name, claudeName), others.stream()).toList();
  }
}
