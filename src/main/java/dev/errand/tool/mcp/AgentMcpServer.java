package dev.errand.tool.mcp;

/**
 * A server that one agent alone has.
 *
 * @param agent its name
 */
public record AgentMcpServer(String agent, ServerDefinition definition) {}
