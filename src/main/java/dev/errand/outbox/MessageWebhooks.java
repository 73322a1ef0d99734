package dev.errand.outbox;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.errand.event.CloudEvent;
import dev.errand.event.EventType;
import dev.errand.node.Hints;
import dev.errand.node.Topic;
import dev.errand.postgres.Json;
import dev.errand.session.SpokenMessage;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;

/** Writes what a session says to its user to the outbox when the session has a callback. */
@ApplicationScoped
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
    callbacks
        .active(message.sessionId())
        .ifPresent(callback -> {
          outbox.write(
              new NewMessagePost(
                  message.id(), message.sessionId(), callback.lane(), event(message)));
          hints.afterCommit(Topic.OUTBOX);
        });
  }

  private String event(SpokenMessage message) {
    return json.write(
        new CloudEvent.What(
            EventType.SESSION_MESSAGE.word(),
            null,
            message.createdAt(),
            mapper.valueToTree(message)));
  }
}
