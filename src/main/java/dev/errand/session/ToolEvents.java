package dev.errand.session;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import dev.errand.conversation.SessionId;
import dev.errand.event.EventType;
import dev.errand.event.Events;
import dev.errand.event.NewEvent;
import jakarta.inject.Singleton;
import org.jspecify.annotations.Nullable;

/** The events of tool calls, recorded in the transaction that they report. */
@Singleton
class ToolEvents {

  private final Events events;

  ToolEvents(Events events) {
    this.events = events;
  }

  /**
   * The call of a tool.
   *
   * @param id the model's
   * @param title one line, for people
   */
  record EventCall(CallKey key, String id, String name, String title) {}

  /**
   * A step of a tool call. One component per field of the wire format; what does not belong to the
   * step is left out.
   *
   * @param messageSeq the message that contains the call, and {@code index} its place among the
   *     calls of the message
   */
  @JsonInclude(Include.NON_NULL)
  private record CallData(
      String toolCallId,
      String name,
      String title,
      long messageSeq,
      int index,
      @Nullable String output,
      @Nullable Boolean isError,
      @Nullable String state) {

    static CallData of(EventCall call, @Nullable String output) {
      return new CallData(
          call.id(),
          call.name(),
          call.title(),
          call.key().messageSeq(),
          call.key().index(),
          output,
          null,
          null);
    }

    CallData ended(boolean error, ToolCallState end) {
      return new CallData(toolCallId, name, title, messageSeq, index, null, error, end.word());
    }
  }

  void started(SessionId session, EventCall call) {
    record(session, EventType.TOOL_STARTED, CallData.of(call, null));
  }

  /**
   * @param output the end of the call's output so far
   */
  void progressed(SessionId session, EventCall call, String output) {
    var data = CallData.of(call, output);
    events.recordProgress(NewEvent.of(session, EventType.TOOL_PROGRESS, data), call.id());
  }

  void ended(SessionId session, EventCall call, boolean isError, ToolCallState state) {
    record(session, EventType.TOOL_ENDED, CallData.of(call, null).ended(isError, state));
  }

  private void record(SessionId session, EventType type, Object data) {
    events.record(NewEvent.of(session, type, data));
  }
}
