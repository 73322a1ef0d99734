/**
 * The port {@link Tool} for everything that an agent can call, and the {@link ToolBox} that
 * validates and runs the calls of the agent loop. The rule: a failed call is an error result that
 * the model can act on, never an exception in the loop.
 */
@NullMarked
package dev.errand.tool;

import org.jspecify.annotations.NullMarked;
