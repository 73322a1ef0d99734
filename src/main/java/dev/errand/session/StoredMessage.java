package dev.errand.session;

import dev.errand.conversation.Message;
import dev.errand.conversation.MessageId;
import java.time.Instant;

/** A message in its place in the transcript; {@code seq} counts from 1 without gaps. */
public record StoredMessage(MessageId id, long seq, Message message, Instant createdAt) {}
