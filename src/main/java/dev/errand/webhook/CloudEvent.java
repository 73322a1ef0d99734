package dev.errand.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.DeliveryId;
import dev.errand.conversation.SessionId;
import java.time.Instant;

/**
 * The body of a webhook: CloudEvents 1.0, structured. The same for every attempt.
 *
 * <pre>{@code
 * {"specversion": "1.0", "id": "dlv_…", "source": "/v1/sessions/ses_…", "type": "background_task.completed",
 *  "subject": "task_…", "time": "2026-01-01T00:00:00Z", "datacontenttype": "application/json", "data": {…}}
 * }</pre>
 */
record CloudEvent(
    String specversion,
    String id,
    String source,
    String type,
    String subject,
    Instant time,
    String datacontenttype,
    JsonNode data) {

  static CloudEvent of(DeliveryId id, SessionId session, Announcement announcement) {
    return new CloudEvent(
        "1.0",
        id.toString(),
        "/v1/sessions/" + session,
        announcement.type(),
        announcement.subject(),
        announcement.time(),
        "application/json",
        announcement.data());
  }
}
