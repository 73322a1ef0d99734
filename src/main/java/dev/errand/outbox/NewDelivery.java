package dev.errand.outbox;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An outbox row to be written.
 *
 * @param payload JSON of the inbox entry
 * @param post what is posted to the parent's callback; null when it has none
 * @param notBefore the earliest time of delivery; null means now
 */
public record NewDelivery(
    TaskId task,
    SessionId to,
    DeliveryKind kind,
    String payload,
    @Nullable Post post,
    @Nullable Instant notBefore) {

  /**
   * The webhook of a delivery.
   *
   * @param lane the receiver's host, by which concurrent posts are limited
   * @param event JSON of the webhook's event
   */
  public record Post(String lane, String event) {}
}
