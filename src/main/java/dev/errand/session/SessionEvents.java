package dev.errand.session;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonRawValue;
import dev.errand.conversation.Message;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.MessageKind;
import dev.errand.conversation.Role;
import dev.errand.conversation.SessionId;
import dev.errand.event.EventType;
import dev.errand.event.Events;
import dev.errand.event.NewEvent;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The events of sessions, recorded in the transaction that they report. */
@ApplicationScoped
class SessionEvents {

  private static final int MAX_CONTENT_BYTES = 8 * 1024;

  private final Events events;

  SessionEvents(Events events) {
    this.events = events;
  }

  /** A message's place in its transcript. */
  record Place(MessageId id, SessionId session, long seq, Instant createdAt) {}

  /** The call of a tool; {@code id} is the model's. */
  record Call(String id, String name) {}

  /**
   * A message as clients see it. One component per field of the wire format.
   *
   * @param content JSON; left out when it is long
   * @param truncated true when the content is left out, otherwise null
   */
  @JsonInclude(Include.NON_NULL)
  private record SaidData(
      MessageId id,
      SessionId sessionId,
      long seq,
      Role role,
      @JsonRawValue @Nullable String content,
      MessageKind kind,
      Instant createdAt,
      @Nullable Boolean truncated) {}

  private record StateData(String state) {}

  private record StartedData(String toolCallId, String name) {}

  private record ProgressData(String toolCallId, String name, String output) {}

  private record EndedData(String toolCallId, String name, boolean isError, String state) {}

  /**
   * @param content of the message, as JSON
   */
  void said(Place place, Message message, String content) {
    var tooLong = content.getBytes(StandardCharsets.UTF_8).length > MAX_CONTENT_BYTES;
    record(
        place.session(),
        EventType.SESSION_MESSAGE,
        new SaidData(
            place.id(),
            place.session(),
            place.seq(),
            message.role(),
            tooLong ? null : content,
            message.kind(),
            place.createdAt(),
            tooLong ? true : null));
  }

  /** A message that was sent in the middle of a turn. */
  void sent(SpokenMessage message) {
    record(message.sessionId(), EventType.SESSION_MESSAGE, message);
  }

  void state(SessionId session, SessionState state) {
    record(session, EventType.SESSION_STATE, new StateData(state.word()));
  }

  void toolStarted(SessionId session, Call call) {
    record(session, EventType.TOOL_STARTED, new StartedData(call.id(), call.name()));
  }

  /**
   * @param output the end of the call's output so far
   */
  void toolProgressed(SessionId session, Call call, String output) {
    var data = new ProgressData(call.id(), call.name(), output);
    events.recordProgress(NewEvent.of(session, EventType.TOOL_PROGRESS, data), call.id());
  }

  void toolEnded(SessionId session, Call call, boolean isError, ToolCallState state) {
    record(
        session,
        EventType.TOOL_ENDED,
        new EndedData(call.id(), call.name(), isError, state.word()));
  }

  private void record(SessionId session, EventType type, Object data) {
    events.record(NewEvent.of(session, type, data));
  }
}
