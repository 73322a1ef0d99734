/**
 * Sessions as durable actors: the row with state, epoch and owner, the transcript, the inbox and
 * the ledger of tool calls. Called by the agent loop, the runner and the task package. The one
 * rule: what a run writes is fenced by its {@link dev.errand.session.Lease}, and a session rests
 * only in a transaction that found nothing waiting in its inbox.
 */
@NullMarked
package dev.errand.session;

import org.jspecify.annotations.NullMarked;
