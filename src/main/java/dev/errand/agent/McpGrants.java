package dev.errand.agent;

import dev.errand.markdown.BrokenFile;
import dev.errand.markdown.YamlField;
import dev.errand.permission.Rule;
import dev.errand.tool.mcp.McpConfig;
import dev.errand.tool.mcp.ServerDefinition;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;

/**
 * Reads the MCP servers of an agent file. The agent may use the configured servers that the file
 * names, and the servers that it defines. The resulting rules only deny; {@code tools} decides
 * which tools of these servers the agent has.
 */
final class McpGrants {

  private final String file;
  private final AgentFields fields;
  private final Set<String> configured;
  private final AgentFileDiagnostics diagnostics;
  private final Set<String> named = new HashSet<>();
  private final List<OwnServer> own = new ArrayList<>();

  McpGrants(
      String file, AgentFields fields, Set<String> configured, AgentFileDiagnostics diagnostics) {
    this.file = file;
    this.fields = fields;
    this.configured = configured;
    this.diagnostics = diagnostics;
  }

  /**
   * A server that the file defines.
   *
   * @param line the line of its definition
   */
  record OwnServer(ServerDefinition definition, int line) {}

  /**
   * @param rules empty if the file does not mention servers
   */
  record ReadGrants(List<Rule> rules, List<OwnServer> own) {

    ReadGrants {
      rules = List.copyOf(rules);
      own = List.copyOf(own);
    }

    Stream<String> names() {
      return own.stream().map(server -> server.definition().name());
    }

    /** Returns whether a server of this file may offer a tool of that name. */
    boolean mayOffer(String tool) {
      return own.stream().anyMatch(server -> tool.startsWith(server.definition().name() + "_"));
    }
  }

  /**
   * @throws BrokenFile a definition is not valid
   */
  ReadGrants read() {
    var entries = fields.listed(AgentFileKey.MCP_SERVERS);
    if (entries.isEmpty()) {
      return new ReadGrants(List.of(), List.of());
    }
    entries.get().forEach(this::add);
    var rules =
        configured.stream()
            .filter(server -> !named.contains(server))
            .sorted()
            .map(server -> Rule.deny(McpConfig.PERMISSION + server))
            .toList();
    return new ReadGrants(rules, own);
  }

  private void add(Node entry) {
    if (entry instanceof MappingNode) {
      new YamlField(AgentFileKey.MCP_SERVERS.spelling(), YamlField.line(entry), entry)
          .fields(file)
          .forEach(definition -> own.add(defined(definition)));
      return;
    }
    for (var server : fields.split(AgentFileKey.MCP_SERVERS, entry)) {
      if (!configured.contains(server.text())) {
        diagnostics.warn(file, server.line(), "there is no MCP server '" + server.text() + "'");
      }
      named.add(server.text());
    }
  }

  private OwnServer defined(YamlField definition) {
    var name = definition.key();
    var line = definition.line();
    var path = AgentFileKey.MCP_SERVERS.spelling() + "." + name;
    if (!ServerDefinition.isName(name)) {
      throw fields.broken(line, "'" + path + "' must have a name of 1 to 32 of a-z, 0-9 and '-'");
    }
    if (configured.contains(name)) {
      throw fields.broken(
          line,
          "'%s' is a configured MCP server already; choose another name, or give only the name to use that server"
              .formatted(path));
    }
    if (own.stream().anyMatch(server -> server.definition().name().equals(name))) {
      throw fields.broken(line, "'" + path + "' is given twice");
    }
    return new OwnServer(McpDefinition.read(name, new McpFields(file, path, definition)), line);
  }
}
