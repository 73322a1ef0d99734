/** Tests of MCP servers as tool sources, against small test servers and a real server. */
@org.jspecify.annotations.NullMarked
package dev.errand.tool.mcp;
