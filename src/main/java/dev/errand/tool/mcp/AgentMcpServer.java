package dev.errand.tool.mcp;

/**
 * A server that belongs to one agent.
 *
 * @param agent the name of the agent; empty if all agents may use the server
 */
public record AgentMcpServer(String agent, ServerDefinition definition) {}
