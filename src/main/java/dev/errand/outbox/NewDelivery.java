package dev.errand.outbox;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An outbox row to be written.
 *
 * @param payload JSON of what the parent's session gets
 * @param post what is posted to the parent's callback; null when it has none
 * @param notBefore when it is due at the earliest; null means now
 */
public record NewDelivery(
    TaskId task,
    SessionId to,
    DeliveryKind kind,
    String payload,
    @Nullable Post post,
    @Nullable Instant notBefore) {

  /**
   * @param lane the receiver's host, which so many rows at once are posted to
   * @param event JSON that the poster understands
   */
  public record Post(String lane, String event) {}
}
