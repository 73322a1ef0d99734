package dev.errand.outbox;

import java.util.UUID;

/**
 * An outbox row that this node alone posts for a while.
 *
 * @param claim which claim it is; whoever claims the row later has another
 * @param event JSON that the poster understands
 */
public record ClaimedDelivery(Delivery delivery, UUID claim, String lane, String event) {}
