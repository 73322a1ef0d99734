package dev.errand.session;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.Content;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.MessageKind;
import dev.errand.conversation.Role;
import dev.errand.conversation.SessionId;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a session says to its user, as clients get it. One component per field of the wire format.
 *
 * @param seq its place in the transcript; left out for a message that was sent in the middle of a
 *     turn, which is the place of the call that sent it
 * @param origin where the conversation takes place, as the session's creator gave it; left out when
 *     not given
 */
@JsonInclude(Include.NON_NULL)
public record SpokenMessage(
    MessageId id,
    SessionId sessionId,
    @Nullable Long seq,
    Role role,
    List<Content> content,
    MessageKind kind,
    Instant createdAt,
    @Nullable JsonNode origin) {

  public SpokenMessage {
    content = List.copyOf(content);
  }
}
