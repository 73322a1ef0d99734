package dev.errand.tool.mcp;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.ToolEffect;
import dev.errand.tool.Tool;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolOutcome;
import java.util.List;
import java.util.stream.StreamSupport;

/** A tool of an MCP server. */
final class McpTool implements Tool {

  /** The permission that covers tools which are read-only according to their server. */
  static final String READ_ONLY = "mcp:read-only";

  /** The permission that covers all other tools of MCP servers. */
  static final String CHANGES = "mcp:changes";

  private final McpServer server;
  private final String remoteName;
  private final ToolDefinition definition;
  private final boolean readOnly;

  /**
   * @param remoteName the name of the tool on its server
   */
  McpTool(McpServer server, String remoteName, ToolDefinition definition, boolean readOnly) {
    this.server = server;
    this.remoteName = remoteName;
    this.definition = definition;
    this.readOnly = readOnly;
  }

  @Override
  public ToolDefinition definition() {
    return definition;
  }

  @Override
  public boolean isOf(String agent) {
    return server.isOf(agent);
  }

  /** Repeating an idempotent write may undo a change made in between, so only reading is pure. */
  @Override
  public ToolEffect effect() {
    return readOnly ? ToolEffect.PURE : ToolEffect.SIDE_EFFECT;
  }

  @Override
  public List<String> permissions() {
    return List.of(
        definition.name(), readOnly ? READ_ONLY : CHANGES, McpConfig.PERMISSION + server.name());
  }

  /** Returns all tools of the server. */
  @Override
  public List<String> grants() {
    return List.of(McpConfig.PERMISSION + server.name(), ToolNames.prefix(server.name()) + "*");
  }

  /** Models send null for optional fields that they leave out; a required field keeps its null. */
  @Override
  public void canonicalize(ObjectNode arguments) {
    var required =
        StreamSupport.stream(definition.parameters().path("required").spliterator(), false)
            .map(name -> name.asText())
            .toList();
    arguments
        .properties()
        .removeIf(field -> field.getValue().isNull() && !required.contains(field.getKey()));
  }

  @Override
  public ToolOutcome call(ObjectNode arguments, ToolContext context) {
    return server.call(this, arguments);
  }

  String remoteName() {
    return remoteName;
  }
}
