/**
 * Delivers outbox rows into the inboxes of parents, by a relay on every node; what leaves the
 * service is sent by the package {@code outgoing}. Keeps the rows that could not be delivered until
 * an operator retries or dismisses them. The one rule: a row is delivered in the transaction that
 * marks it delivered.
 */
@NullMarked
package dev.errand.delivery;

import org.jspecify.annotations.NullMarked;
