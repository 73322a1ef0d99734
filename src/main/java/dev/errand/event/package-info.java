/**
 * Events: what happens in a tree of sessions. Code that changes something records an event in the
 * same transaction; endpoints read events and wait for new ones. The one rule: events are numbered
 * as the last step of a transaction, under a lock that is kept until the commit, so that a client
 * that has seen a number has seen all events before it.
 */
@NullMarked
package dev.errand.event;

import org.jspecify.annotations.NullMarked;
