package dev.errand.agent;

import dev.errand.markdown.BrokenFile;
import dev.errand.markdown.FrontMatter;
import dev.errand.permission.Rule;
import dev.errand.tool.mcp.McpConfig;
import dev.errand.tool.mcp.ServerDefinition;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;

/**
 * Reads what an agent's file says of MCP servers: of the configured ones it has the tools of those
 * it names, and it has those that it defines. The rules only take away, so {@code tools} says the
 * rest.
 */
final class McpGrants {

  private final String file;
  private final AgentFields fields;
  private final Set<String> configured;
  private final AgentFileDiagnostics notes;
  private final Set<String> named = new HashSet<>();
  private final List<Own> own = new ArrayList<>();

  McpGrants(String file, AgentFields fields, Set<String> configured, AgentFileDiagnostics notes) {
    this.file = file;
    this.fields = fields;
    this.configured = configured;
    this.notes = notes;
  }

  /**
   * A server that the file defines.
   *
   * @param line where
   */
  record Own(ServerDefinition definition, int line) {}

  /**
   * @param rules none where the file says nothing of servers
   */
  record Read(List<Rule> rules, List<Own> own) {

    Read {
      rules = List.copyOf(rules);
      own = List.copyOf(own);
    }

    /** Whether a tool of that name may come with one of the file's own servers. */
    boolean mayBring(String tool) {
      return own.stream().anyMatch(server -> tool.startsWith(server.definition().name() + "_"));
    }
  }

  /**
   * @throws BrokenFile a definition makes no sense
   */
  Read read() {
    var entries = fields.listed(AgentFileKey.MCP_SERVERS);
    if (entries.isEmpty()) {
      return new Read(List.of(), List.of());
    }
    entries.get().forEach(this::add);
    var rules =
        configured.stream()
            .filter(server -> !named.contains(server))
            .sorted()
            .map(server -> Rule.deny(McpConfig.PERMISSION + server))
            .toList();
    return new Read(rules, own);
  }

  private void add(Node entry) {
    if (entry instanceof MappingNode definitions) {
      definitions
          .getValue()
          .forEach(pair -> own.add(defined(pair.getKeyNode(), pair.getValueNode())));
      return;
    }
    var words = fields.split(AgentFileKey.MCP_SERVERS, entry);
    words.stream()
        .filter(word -> !configured.contains(word.text()))
        .forEach(word ->
            notes.warn(file, word.line(), "there is no MCP server '" + word.text() + "' here"));
    words.forEach(word -> named.add(word.text()));
  }

  private Own defined(Node key, Node definition) {
    var name = McpFields.key(file, key);
    var line = FrontMatter.line(key);
    var path = AgentFileKey.MCP_SERVERS.word() + "." + name;
    if (!ServerDefinition.isName(name)) {
      throw fields.broken(line, "'" + path + "' must have a name of 1 to 32 of a-z, 0-9 and '-'");
    }
    if (configured.contains(name)) {
      throw fields.broken(
          line,
          "'%s' is the name of a configured MCP server; give this one another, or name that one alone"
              .formatted(path));
    }
    if (own.stream().anyMatch(server -> server.definition().name().equals(name))) {
      throw fields.broken(line, "'" + path + "' is given twice");
    }
    return new Own(McpDefinition.read(name, new McpFields(file, path, definition)), line);
  }
}
