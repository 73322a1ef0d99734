package dev.errand.api;

import dev.errand.conversation.Content;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.MessageKind;
import dev.errand.conversation.Role;
import dev.errand.conversation.SessionId;
import dev.errand.session.StoredMessage;
import java.time.Instant;
import java.util.List;

/** A message as clients see it. One component per field of the wire format. */
record MessageView(
    MessageId id,
    SessionId sessionId,
    long seq,
    Role role,
    List<Content> content,
    MessageKind kind,
    Instant createdAt) {

  static MessageView of(SessionId session, StoredMessage stored) {
    var message = stored.message();
    return new MessageView(
        stored.id(),
        session,
        stored.seq(),
        message.role(),
        message.content(),
        message.kind(),
        stored.createdAt());
  }
}
