/**
 * What ended tasks owe their parents and sessions their users, and the relay that pays it. Tasks
 * and sessions' callbacks write rows; targets deliver them. The one rule: a row is chosen by its
 * state, never by its place in an order, and is marked in the transaction that delivers it.
 */
@NullMarked
package dev.errand.outbox;

import org.jspecify.annotations.NullMarked;
