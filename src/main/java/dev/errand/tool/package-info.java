/**
 * Tools that a hosted agent can call: the port {@link Tool}, the {@link ToolBox} that checks and
 * calls them, and the file tools, which stay inside the session's workspace. Called by the agent
 * loop. The one rule: a tool never throws to the loop – what went wrong is an error result that the
 * model can act on.
 */
@NullMarked
package dev.errand.tool;

import org.jspecify.annotations.NullMarked;
