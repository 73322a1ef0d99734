/**
 * Agent definitions: the built-in agents and those of the operator's files. Called by everything
 * that starts a session or shows agents. The one rule: a reload replaces all definitions at once
 * or, if a file is broken, none.
 */
@NullMarked
package dev.errand.agent;

import org.jspecify.annotations.NullMarked;
