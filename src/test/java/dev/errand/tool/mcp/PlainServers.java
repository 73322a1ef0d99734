package dev.errand.tool.mcp;

import java.util.Map;

/** MCP servers without a container. */
public final class PlainServers {

  private PlainServers() {}

  public static McpServers none() {
    return new McpServers(Map::of);
  }
}
