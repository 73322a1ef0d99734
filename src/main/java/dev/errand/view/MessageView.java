package dev.errand.view;

import dev.errand.conversation.Content;
import dev.errand.conversation.Covered;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.MessageKind;
import dev.errand.conversation.Role;
import dev.errand.conversation.SessionId;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message as clients see it. One component per field of the wire format.
 *
 * @param covers the messages that a summary is sent in place of; null for other messages
 */
public record MessageView(
    MessageId id,
    SessionId sessionId,
    long seq,
    Role role,
    List<Content> content,
    MessageKind kind,
    @Nullable Covered covers,
    Instant createdAt) {}
