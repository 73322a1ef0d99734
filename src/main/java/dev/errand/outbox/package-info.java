/**
 * The outbox and the table of callbacks: results of ended tasks that are owed to parents, and what
 * leaves the service. The one rule: a row is chosen by its state, never by its place in an order.
 */
@NullMarked
package dev.errand.outbox;

import org.jspecify.annotations.NullMarked;
