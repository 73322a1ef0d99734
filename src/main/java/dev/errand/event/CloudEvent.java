package dev.errand.event;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.SessionId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The JSON envelope of an event, as defined by CloudEvents 1.0. One component per attribute.
 *
 * <pre>{@code
 * {"specversion": "1.0", "id": "evt_01…", "source": "/v1/sessions/ses_01…", "type": "subagent.created",
 *  "subject": "task_01…", "time": "2025-01-01T00:00:00Z", "data": {…}}
 * }</pre>
 *
 * @param id the same in every repetition
 * @param subject the task that the event is about; absent for an event about the session itself
 * @param traceparent the CloudEvents extension for distributed tracing; absent when the source was
 *     not traced
 */
@JsonInclude(Include.NON_NULL)
public record CloudEvent(
    String specversion,
    String id,
    String source,
    String type,
    @Nullable String subject,
    Instant time,
    @Nullable String traceparent,
    JsonNode data) {

  private static final String VERSION = "1.0";

  public static CloudEvent of(String id, SessionId session, What what) {
    return of(id, session, what, null);
  }

  public static CloudEvent of(
      String id, SessionId session, What what, @Nullable String traceparent) {
    return new CloudEvent(
        VERSION,
        id,
        "/v1/sessions/" + session,
        what.type(),
        what.subject(),
        what.time(),
        traceparent,
        what.data());
  }

  /** The content of an event. */
  public record What(String type, @Nullable String subject, Instant time, JsonNode data) {}
}
