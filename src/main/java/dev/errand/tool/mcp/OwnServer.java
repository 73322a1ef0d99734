package dev.errand.tool.mcp;

/**
 * A server that one agent alone has.
 *
 * @param agent its name
 */
public record OwnServer(String agent, ServerDefinition definition) {}
