/**
 * Pauses: what operators have stopped for a time. Knows the pauses and what they apply to; sessions
 * and tasks are suspended in their own packages. The one rule: a run asks the memory of its node,
 * never the database, whether it is suspended.
 */
@NullMarked
package dev.errand.pause;

import org.jspecify.annotations.NullMarked;
