/** The MCP door, called over HTTP as clients do. */
@NullMarked
package dev.errand.mcp;

import org.jspecify.annotations.NullMarked;
