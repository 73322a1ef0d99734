package dev.errand.outbox;

import dev.errand.conversation.MessageId;
import dev.errand.conversation.SessionId;

/**
 * A message of a session that is to be posted to its callback.
 *
 * @param from the session
 * @param lane the receiver's host, by which concurrent posts are limited
 * @param event JSON of the webhook's event
 */
public record NewMessagePost(MessageId message, SessionId from, String lane, String event) {}
