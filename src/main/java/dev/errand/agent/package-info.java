/**
 * Agent definitions: the built-in agents and those of the operator's files. Called by everything
 * that starts a session or shows agents. The one rule: a reload replaces all definitions at once,
 * and a broken file gives no agent more rights than it had.
 */
@NullMarked
package dev.errand.agent;

import org.jspecify.annotations.NullMarked;
