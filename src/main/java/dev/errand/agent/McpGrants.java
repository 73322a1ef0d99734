package dev.errand.agent;

import dev.errand.markdown.FrontMatter;
import dev.errand.permission.Rule;
import dev.errand.tool.mcp.McpConfig;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;

/**
 * Reads what an agent's file says of MCP servers as rules: of the configured servers it has the
 * tools of those it names. They only take away, so {@code tools} says the rest.
 */
final class McpGrants {

  private final String file;
  private final AgentFields fields;
  private final Set<String> configured;
  private final AgentNotes notes;

  McpGrants(String file, AgentFields fields, Set<String> configured, AgentNotes notes) {
    this.file = file;
    this.fields = fields;
    this.configured = configured;
    this.notes = notes;
  }

  /** None where the file says nothing of servers. */
  List<Rule> rules() {
    var entries = fields.listed(AgentKey.MCP_SERVERS);
    if (entries.isEmpty()) {
      return List.of();
    }
    var named = new HashSet<String>();
    entries.get().forEach(entry -> named.addAll(names(entry)));
    return configured.stream()
        .filter(server -> !named.contains(server))
        .sorted()
        .map(server -> Rule.deny(McpConfig.PERMISSION + server))
        .toList();
  }

  private List<String> names(Node entry) {
    if (entry instanceof MappingNode) {
      notes.warn(
          file,
          FrontMatter.line(entry),
          "servers cannot be defined here; configure errand.mcp.servers.<name> and name it here");
      return List.of();
    }
    var words = fields.split(AgentKey.MCP_SERVERS, entry);
    words.stream()
        .filter(word -> !configured.contains(word.text()))
        .forEach(word ->
            notes.warn(file, word.line(), "there is no MCP server '" + word.text() + "' here"));
    return words.stream().map(AgentFields.Word::text).toList();
  }
}
