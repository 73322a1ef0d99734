/**
 * Delivers outbox rows: into the parent's inbox by a relay on every node, or by webhook. Keeps the
 * rows that could not be delivered until an operator retries or dismisses them. The one rule: a row
 * is delivered in the transaction that marks it delivered.
 */
@NullMarked
package dev.errand.delivery;

import org.jspecify.annotations.NullMarked;
