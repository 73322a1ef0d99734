package dev.errand.session;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.Covered;
import dev.errand.conversation.DeliveryId;
import dev.errand.conversation.Message;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.MessageKind;
import dev.errand.conversation.MessageRole;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.conversation.Usage;
import dev.errand.event.EventType;
import dev.errand.event.Events;
import dev.errand.event.NewEvent;
import dev.errand.postgres.Statement;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The events of sessions, recorded in the transaction that they report. */
@Singleton
class SessionEvents {

  private final Events events;

  SessionEvents(Events events) {
    this.events = events;
  }

  /**
   * A message's place in its transcript.
   *
   * @param covers the messages that it is sent in place of; null unless it is a summary
   * @param startedAt when the model call began; null when no model wrote the message
   * @param modelMs how long it took
   */
  record MessagePlace(
      MessageId id,
      SessionId session,
      long seq,
      @Nullable Covered covers,
      @Nullable Instant startedAt,
      @Nullable Long modelMs,
      Instant createdAt) {}

  /**
   * A message as clients see it, without its content, which is read with the event. One component
   * per field of the wire format.
   */
  @JsonInclude(Include.NON_NULL)
  private record SaidData(
      MessageId id,
      SessionId sessionId,
      long seq,
      MessageRole role,
      MessageKind kind,
      @Nullable Covered covers,
      @Nullable TaskId taskId,
      @Nullable DeliveryId deliveryId,
      @Nullable String model,
      @Nullable Usage usage,
      @Nullable Instant startedAt,
      @Nullable Long modelMs,
      @Nullable Integer modelAttempts,
      Instant createdAt) {}

  /**
   * @param reason why the session is in this state, a word for programs; left out while it runs
   * @param notBefore how long it waits at least; left out when it waits for no time
   * @param pause that applies to it; left out when none does
   */
  @JsonInclude(Include.NON_NULL)
  private record StateData(
      String state,
      @Nullable String reason,
      @Nullable WaitReason waitsFor,
      @Nullable Instant notBefore,
      @Nullable SessionPause pause) {}

  private record SummarisedData(
      MessageId messageId, long seq, @Nullable Covered covers, Usage usage) {}

  void said(MessagePlace place, Message message, MessageOrigin origin) {
    record(
        place.session(),
        EventType.SESSION_MESSAGE,
        new SaidData(
            place.id(),
            place.session(),
            place.seq(),
            message.role(),
            message.kind(),
            place.covers(),
            origin.task(),
            origin.delivery(),
            origin.model(),
            origin.usage(),
            place.startedAt(),
            place.modelMs(),
            origin.call() == null ? null : origin.call().attempt(),
            place.createdAt()));
  }

  /**
   * A message as it was sent in the middle of a turn, without its content.
   *
   * @param origin where the conversation takes place; left out when not given
   */
  @JsonInclude(Include.NON_NULL)
  private record SentData(
      MessageId id,
      SessionId sessionId,
      MessageRole role,
      MessageKind kind,
      Instant createdAt,
      @Nullable JsonNode origin) {}

  /** Executes a statement right before the events are written, in the same round trip. */
  void with(Statement statement) {
    events.beforeEvents(statement);
  }

  /** Reports a message that was sent in the middle of a turn. */
  void sent(SpokenMessages.SpokenMessage message) {
    record(
        message.sessionId(),
        EventType.SESSION_MESSAGE,
        new SentData(
            message.id(),
            message.sessionId(),
            message.role(),
            message.kind(),
            message.createdAt(),
            message.origin()));
  }

  /** Reports that older messages of the session are sent as this summary from now on. */
  void summarised(SessionId session, StoredMessage summary) {
    record(
        session,
        EventType.SESSION_SUMMARISED,
        new SummarisedData(summary.id(), summary.seq(), summary.covers(), summary.usage()));
  }

  /**
   * @param reason a word for programs; null when a worker drives the session
   */
  void state(SessionId session, SessionState state, @Nullable String reason) {
    record(session, EventType.SESSION_STATE, new StateData(state.word(), reason, null, null, null));
  }

  /** Reports that the session waits until a time, or until a pause ends. */
  void waits(
      SessionId session,
      WaitReason waitsFor,
      String reason,
      @Nullable Instant until,
      @Nullable SessionPause pause) {
    var data = new StateData(SessionState.WAITING.word(), reason, waitsFor, until, pause);
    record(session, EventType.SESSION_STATE, data);
  }

  /** Reports that the session lost its worker. */
  void takenOver(SessionId session, String reason) {
    record(session, EventType.SESSION_TAKEN_OVER, Map.of("reason", reason));
  }

  /** Reports that the run of a root failed for good. */
  void failed(SessionFailures.FailedSession failure) {
    record(failure.sessionId(), EventType.SESSION_FAILED, failure);
  }

  /** Reports that notices wait for the session's user, because they do not wake the session. */
  void noticesKept(SessionId session, int notices) {
    record(session, EventType.SESSION_NOTICES_HELD, Map.of("waiting_notices", notices));
  }

  private void record(SessionId session, EventType type, Object data) {
    events.record(NewEvent.of(session, type, data));
  }
}
