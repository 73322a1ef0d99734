/**
 * Sessions as durable actors: the row with state, epoch and owner, the transcript, the inbox and
 * the ledger of tool calls. Called by {@code run} and {@code task}. The one rule: what a run writes
 * is fenced by its {@link dev.errand.session.Lease}, and a session rests only in a transaction that
 * found no unread entry in its inbox.
 */
@NullMarked
package dev.errand.session;

import org.jspecify.annotations.NullMarked;
