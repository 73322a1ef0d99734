/**
 * Hooks: programs and HTTP endpoints of the operator that hear of tasks, failed sessions and tool
 * calls, and may deny a call. The one rule: a hook that is asked before a call is asked by the run
 * itself; all other events of tasks and sessions are rows, written in the transaction in which they
 * happen, and delivered at least once.
 */
@NullMarked
package dev.errand.hook;

import org.jspecify.annotations.NullMarked;
