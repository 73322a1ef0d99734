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
 * @param sequence the CloudEvents extension for the order of events: decimal, one higher for each
 *     post to a callback of the session; absent in streams, whose positions say the same
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
    @Nullable String sequence,
    JsonNode data) {

  private static final String VERSION = "1.0";

  public static CloudEvent of(String id, SessionId session, EventContent what) {
    return of(id, session, what, null, null);
  }

  public static CloudEvent of(
      String id,
      SessionId session,
      EventContent what,
      @Nullable String traceparent,
      @Nullable Long sequence) {
    return new CloudEvent(
        VERSION,
        id,
        "/v1/sessions/" + session,
        what.type(),
        what.subject(),
        what.time(),
        traceparent,
        sequence == null ? null : sequence.toString(),
        what.data());
  }

  /**
   * A recorded event.
   *
   * @param number the position in its tree; a client that resumes after it misses nothing
   */
  public record StoredEvent(long number, CloudEvent event) {}
}
