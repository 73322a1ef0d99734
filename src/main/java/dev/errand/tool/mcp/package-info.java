/**
 * The MCP client. Reads the configuration, keeps a connection to each server over stdio or
 * streamable HTTP, and offers the tools that the servers list as {@link dev.errand.tool.Tool}s. The
 * MCP SDK implements the protocol; this package adds processes with a clean environment, calls that
 * end when their server dies, and restarts. The one rule: whatever a server does, a call ends with
 * a result and within its time limit.
 */
@NullMarked
package dev.errand.tool.mcp;

import org.jspecify.annotations.NullMarked;
