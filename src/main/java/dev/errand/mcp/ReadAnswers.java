package dev.errand.mcp;

import dev.errand.http.AfterResponse;
import dev.errand.outbox.Delivery.DeliveryState;
import jakarta.inject.Singleton;

/** An answer that contains the result of a task counts as read, after it was written. */
@Singleton
class ReadAnswers {

  private final AfterResponse afterResponse;
  private final KnownTasks known;

  ReadAnswers(AfterResponse afterResponse, KnownTasks known) {
    this.afterResponse = afterResponse;
    this.known = known;
  }

  /** Consumes the notice of the result after the response, unless it was consumed before. */
  void afterwards(Reply.Result reply) {
    var task = reply.read();
    if (task != null && task.delivery().filter(DeliveryState.CONSUMED::equals).isEmpty()) {
      afterResponse.run(() -> known.received(task), () -> {});
    }
  }
}
