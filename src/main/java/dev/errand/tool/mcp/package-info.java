/**
 * Tools of MCP servers: we are the client. Reads the configuration, keeps a connection to each
 * server over stdio or streamable HTTP, and offers what the servers list as {@link
 * dev.errand.tool.Tool}s. The protocol is the MCP SDK's; ours is what it leaves out: processes with
 * a clean environment, calls that end when their server dies, restarts. The one rule: whatever a
 * server does, a call ends with a result and within its time.
 */
@NullMarked
package dev.errand.tool.mcp;

import org.jspecify.annotations.NullMarked;
