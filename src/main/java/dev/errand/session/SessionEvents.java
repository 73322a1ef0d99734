package dev.errand.session;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonRawValue;
import dev.errand.conversation.Covered;
import dev.errand.conversation.Message;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.MessageKind;
import dev.errand.conversation.Role;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.Usage;
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

  /**
   * A message's place in its transcript.
   *
   * @param covers the messages that it is sent in place of; null unless it is a summary
   */
  record Place(
      MessageId id, SessionId session, long seq, @Nullable Covered covers, Instant createdAt) {}

  /**
   * The call of a tool.
   *
   * @param id the model's
   * @param title null for a call that an older version planned
   */
  record Call(CallKey key, String id, String name, @Nullable String title) {}

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
      @Nullable Covered covers,
      Instant createdAt,
      @Nullable Boolean truncated) {}

  private record SummarisedData(
      MessageId messageId, long seq, @Nullable Covered covers, Usage usage) {}

  private record StateData(String state) {}

  private record TakenOverData(String reason) {}

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
      @Nullable String title,
      long messageSeq,
      int index,
      @Nullable String output,
      @Nullable Boolean isError,
      @Nullable String state) {

    static CallData of(Call call, @Nullable String output) {
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
            place.covers(),
            place.createdAt(),
            tooLong ? true : null));
  }

  /** A message that was sent in the middle of a turn. */
  void sent(SpokenMessage message) {
    record(message.sessionId(), EventType.SESSION_MESSAGE, message);
  }

  /** Older messages of the session are sent as this summary from now on. */
  void summarised(SessionId session, StoredMessage summary) {
    record(
        session,
        EventType.SESSION_SUMMARISED,
        new SummarisedData(summary.id(), summary.seq(), summary.covers(), summary.usage()));
  }

  void state(SessionId session, SessionState state) {
    record(session, EventType.SESSION_STATE, new StateData(state.word()));
  }

  /** The session lost its worker. */
  void takenOver(SessionId session, String reason) {
    record(session, EventType.SESSION_TAKEN_OVER, new TakenOverData(reason));
  }

  void toolStarted(SessionId session, Call call) {
    record(session, EventType.TOOL_STARTED, CallData.of(call, null));
  }

  /**
   * @param output the end of the call's output so far
   */
  void toolProgressed(SessionId session, Call call, String output) {
    var data = CallData.of(call, output);
    events.recordProgress(NewEvent.of(session, EventType.TOOL_PROGRESS, data), call.id());
  }

  void toolEnded(SessionId session, Call call, boolean isError, ToolCallState state) {
    record(session, EventType.TOOL_ENDED, CallData.of(call, null).ended(isError, state));
  }

  private void record(SessionId session, EventType type, Object data) {
    events.record(NewEvent.of(session, type, data));
  }
}
