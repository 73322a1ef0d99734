package dev.errand.view;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.outbox.DeliveryState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which deliveries a list shows; null and empty mean any. */
public record DeliveryFilter(
    List<DeliveryState> states,
    @Nullable SessionId session,
    @Nullable TaskId task,
    Period created) {}
