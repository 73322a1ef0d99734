package dev.errand.outbox;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.event.EventContent;
import dev.errand.event.EventType;
import dev.errand.outbox.OutgoingRows.NewRow;
import dev.errand.postgres.Json;
import dev.errand.session.SessionFailures.FailedSession;
import dev.errand.session.SpokenMessages.SpokenMessage;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Writes what is posted to callbacks, in the transaction of the event: what a session says to its
 * user, and the events of a task with a callback of its own. Nothing is written without a callback,
 * or when the receiver has disabled it.
 */
@Singleton
public class CallbackPosts {

  private final CallbackStore callbacks;
  private final OutgoingRows rows;
  private final ObjectMapper mapper;
  private final Json json;

  CallbackPosts(CallbackStore callbacks, OutgoingRows rows, ObjectMapper mapper, Json json) {
    this.callbacks = callbacks;
    this.rows = rows;
    this.mapper = mapper;
    this.json = json;
  }

  /** Posts what a session said. Idempotent. */
  @Transactional(TxType.MANDATORY)
  public void said(SpokenMessage message) {
    ofSession(
        message.sessionId(), message.id(), EventType.SESSION_MESSAGE, message.createdAt(), message);
  }

  /** Posts that a run failed for good. */
  @Transactional(TxType.MANDATORY)
  public void failed(FailedSession failure) {
    ofSession(
        failure.sessionId(),
        MessageId.next(),
        EventType.SESSION_FAILED,
        failure.error().at(),
        failure);
  }

  private void ofSession(SessionId session, MessageId id, EventType type, Instant at, Object data) {
    callbacks
        .host(session.value())
        .ifPresent(host ->
            rows.write(
                new NewRow(
                    DeliveryKind.MESSAGE,
                    session,
                    id,
                    null,
                    session.value().toString(),
                    host,
                    json.write(
                        new EventContent(type.word(), null, at, mapper.valueToTree(data))))));
  }

  /** Posts the start of a task. */
  @Transactional(TxType.MANDATORY)
  public void started(TaskId task, SessionId parent, EventContent event) {
    callbacks
        .host(task.value())
        .ifPresent(host -> rows.write(ofTask(DeliveryKind.EVENT, task, parent, host, event)));
  }

  /**
   * Posts the progress of a task. It takes the place of an earlier one that is not posted yet, so
   * that a receiver that does not answer collects none.
   */
  @Transactional(TxType.MANDATORY)
  public void progressed(TaskId task, SessionId parent, EventContent event) {
    callbacks
        .host(task.value())
        .ifPresent(host ->
            rows.writeProgress(task, ofTask(DeliveryKind.PROGRESS, task, parent, host, event)));
  }

  /**
   * Posts the end of a task, which is rendered when it is posted. It does not wait for progress
   * that failed and is to be repeated.
   */
  @Transactional(TxType.MANDATORY)
  public void ended(TaskId task, SessionId parent) {
    rows.forgetFailedProgress(task);
    callbacks
        .host(task.value())
        .ifPresent(host -> rows.write(ofTask(DeliveryKind.EVENT, task, parent, host, null)));
  }

  private NewRow ofTask(
      DeliveryKind kind, TaskId task, SessionId parent, String host, @Nullable EventContent event) {
    return new NewRow(
        kind,
        parent,
        null,
        task,
        task.value().toString(),
        host,
        event == null ? null : json.write(event));
  }
}
