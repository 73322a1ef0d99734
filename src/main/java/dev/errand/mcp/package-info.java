/**
 * The MCP door: clients of the Model Context Protocol delegate with {@code POST /mcp}. Keeps no
 * state in the memory of a node: a task of the protocol is a task of this service. Called by
 * clients only. The one rule: it shares with the REST API what lies below both, and never uses it.
 */
@NullMarked
package dev.errand.mcp;

import org.jspecify.annotations.NullMarked;
