/** Tests of MCP servers as tool sources: against small servers of our own, and a real one. */
@org.jspecify.annotations.NullMarked
package dev.errand.tool.mcp;
