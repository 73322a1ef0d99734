package dev.errand.outbox;

import dev.errand.conversation.MessageId;
import dev.errand.conversation.SessionId;

/**
 * A message of a session that is to be posted to its callback.
 *
 * @param from whose it is
 * @param lane the receiver's host, which so many rows at once are posted to
 * @param event JSON that the poster understands
 */
public record NewMessagePost(MessageId message, SessionId from, String lane, String event) {}
