package dev.errand.outbox;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An outbox row that this node has claimed for a limited time.
 *
 * @param claim the id of the claim; a later claim of the row has another one
 * @param sequence the number of the post among those of its callback; null when the callback is
 *     disabled
 * @param kind what is posted
 * @param callback the session or the task whose callback gets the post
 * @param tenant of the session
 * @param receiver the host of the callback, or the name of the hook
 * @param event JSON of the webhook's event, or what the hook gets; null for the end of a task,
 *     which is rendered when it is posted
 */
public record ClaimedDelivery(
    Delivery delivery,
    UUID claim,
    DeliveryKind kind,
    UUID callback,
    String tenant,
    String receiver,
    @Nullable Long sequence,
    @Nullable String event) {}
