package dev.errand.session;

import dev.errand.conversation.DeliveryId;
import dev.errand.conversation.TaskId;
import dev.errand.conversation.Usage;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The origin of a message.
 *
 * @param task that a notice reports
 * @param delivery that brought the notice
 * @param call that gave the answer, with its {@code usage}
 */
record MessageOrigin(
    @Nullable TaskId task,
    @Nullable DeliveryId delivery,
    @Nullable ModelCall call,
    @Nullable Usage usage) {

  static final MessageOrigin NONE = new MessageOrigin(null, null, null, null);

  static MessageOrigin of(ModelCall call, Usage usage) {
    return new MessageOrigin(null, null, call, usage);
  }

  static MessageOrigin of(@Nullable TaskId task, @Nullable UUID outbox) {
    return new MessageOrigin(task, outbox == null ? null : new DeliveryId(outbox), null, null);
  }

  @Nullable String model() {
    return call == null ? null : call.model();
  }
}
