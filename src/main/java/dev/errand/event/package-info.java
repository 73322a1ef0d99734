/**
 * Events (C4): what happens in a tree of sessions, for those who watch. Whoever changes something
 * records it here in the same transaction; doors read it and wait for more. The one rule: events
 * are numbered as the very last act of a transaction, under a lock that is held until it has
 * committed, so that whoever has seen a number has seen all before it.
 */
@NullMarked
package dev.errand.event;

import org.jspecify.annotations.NullMarked;
