/**
 * The agent loop and the agents' definitions. Called by the runner. The one rule: model and tools
 * run outside any transaction, and each step is saved before the next one begins, so that a crash
 * repeats at most the step it hit.
 */
@NullMarked
package dev.errand.agent;

import org.jspecify.annotations.NullMarked;
