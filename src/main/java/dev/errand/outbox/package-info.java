/**
 * The tables of deliveries and of callbacks: results of ended tasks that are owed to parents, and
 * messages that sessions send to their users. The one rule: a row is chosen by its state, never by
 * its place in an order.
 */
@NullMarked
package dev.errand.outbox;

import org.jspecify.annotations.NullMarked;
