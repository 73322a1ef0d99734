package dev.errand.outbox;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.SessionId;
import dev.errand.event.CloudEvent;
import dev.errand.event.CloudEvent.EventType;
import dev.errand.node.Hints;
import dev.errand.node.Topic;
import dev.errand.postgres.Json;
import dev.errand.session.SessionFailures.FailedSession;
import dev.errand.session.SpokenMessages.SpokenMessage;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.time.Instant;

/** Writes what a session says to its user to the outbox when the session has a callback. */
@Singleton
public class MessageWebhooks {

  private final CallbackStore callbacks;
  private final OutboxStore outbox;
  private final ObjectMapper mapper;
  private final Json json;
  private final Hints hints;

  MessageWebhooks(
      CallbackStore callbacks, OutboxStore outbox, ObjectMapper mapper, Json json, Hints hints) {
    this.callbacks = callbacks;
    this.outbox = outbox;
    this.mapper = mapper;
    this.json = json;
    this.hints = hints;
  }

  @Transactional(TxType.MANDATORY)
  public void send(SpokenMessage message) {
    send(
        message.sessionId(),
        message.id(),
        new Said(EventType.SESSION_MESSAGE, message.createdAt(), message));
  }

  /** Tells the callback that a run failed for good. */
  @Transactional(TxType.MANDATORY)
  public void send(FailedSession failure) {
    send(
        failure.sessionId(),
        MessageId.next(),
        new Said(EventType.SESSION_FAILED, failure.error().at(), failure));
  }

  private record Said(EventType type, Instant at, Object data) {}

  private void send(SessionId from, MessageId id, Said said) {
    callbacks
        .lane(from.value())
        .ifPresent(lane -> {
          outbox.write(new NewMessagePost(id, from, lane, event(said)));
          hints.afterCommit(Topic.WEBHOOKS);
        });
  }

  private String event(Said said) {
    return json.write(
        new CloudEvent.What(said.type().word(), null, said.at(), mapper.valueToTree(said.data())));
  }

  /**
   * A message of a session that is to be posted to its callback.
   *
   * @param from the session
   * @param lane the receiver's host, by which concurrent posts are limited
   * @param event JSON of the webhook's event
   */
  public record NewMessagePost(MessageId message, SessionId from, String lane, String event) {}
}
