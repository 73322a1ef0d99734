package dev.errand.session;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.Usage;
import dev.errand.event.EventStore;
import dev.errand.event.EventType;
import dev.errand.event.Events;
import dev.errand.event.NewEvent;
import jakarta.inject.Singleton;
import org.jspecify.annotations.Nullable;

/** The events of model calls, recorded in the transaction that they report. */
@Singleton
class ModelCallEvents {

  private final Events events;
  private final EventStore store;

  ModelCallEvents(Events events, EventStore store) {
    this.events = events;
    this.store = store;
  }

  /**
   * A step of a model call. One component per field of the wire format; what does not belong to the
   * step is left out.
   *
   * @param error a word for programs
   */
  @JsonInclude(Include.NON_NULL)
  private record ModelData(
      long seq,
      String model,
      int attempt,
      @Nullable Long ms,
      @Nullable Usage usage,
      @Nullable String error) {}

  void started(SessionId session, ModelCall call) {
    var data = new ModelData(call.seq(), call.model(), call.attempt(), null, null, null);
    record(session, EventType.MODEL_STARTED, data);
  }

  void answered(SessionId session, ModelCall call, long seq, Usage usage) {
    var data = new ModelData(seq, call.model(), call.attempt(), call.ms(), usage, null);
    record(session, EventType.MODEL_ENDED, data);
  }

  void failed(SessionId session, ModelCall call, String error) {
    var data = new ModelData(call.seq(), call.model(), call.attempt(), call.ms(), null, error);
    record(session, EventType.MODEL_ENDED, data);
  }

  /**
   * Ends a model call that was reported as started and not as ended, because the session is taken
   * from its worker.
   *
   * @param error a word for programs
   */
  void lost(SessionId session, String error) {
    store
        .openModelCall(session)
        .ifPresent(open -> {
          var call = open.data();
          record(
              session,
              EventType.MODEL_ENDED,
              new ModelData(
                  call.path("seq").asLong(),
                  call.path("model").asText(),
                  call.path("attempt").asInt(),
                  open.ms(),
                  null,
                  error));
        });
  }

  private void record(SessionId session, EventType type, Object data) {
    events.record(NewEvent.of(session, type, data));
  }
}
