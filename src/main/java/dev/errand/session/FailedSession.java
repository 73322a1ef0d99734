package dev.errand.session;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.SessionId;
import org.jspecify.annotations.Nullable;

/**
 * A root session whose run failed for good, as clients get it. One component per field of the wire
 * format.
 *
 * @param origin where the conversation takes place, as the session's creator gave it; left out when
 *     not given
 */
@JsonInclude(Include.NON_NULL)
public record FailedSession(SessionId sessionId, SessionError error, @Nullable JsonNode origin) {}
