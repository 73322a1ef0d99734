package dev.errand.outbox;

import java.util.UUID;

/**
 * An outbox row that this node has claimed for a limited time.
 *
 * @param claim the id of the claim; a later claim of the row has another one
 * @param event JSON of the webhook's event
 */
public record ClaimedDelivery(Delivery delivery, UUID claim, String lane, String event) {}
