/**
 * Pauses: what operators have stopped for a time. Knows the pauses and what they hold; sessions and
 * tasks are held in their own packages. The one rule: a run asks the memory of its node, never the
 * database, whether it is held.
 */
@NullMarked
package dev.errand.pause;

import org.jspecify.annotations.NullMarked;
