package dev.errand.event;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonValue;
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

  /** The content of an event. */
  public record EventContent(String type, @Nullable String subject, Instant time, JsonNode data) {}

  /**
   * A recorded event.
   *
   * @param number the position in its tree; a client that resumes after it misses nothing
   */
  public record StoredEvent(long number, CloudEvent event) {}

  /**
   * The type of an event. {@code session}, {@code model} and {@code tool} events are in the stream
   * of their session, {@code delivery} events in that of the receiver, the others in that of the
   * parent.
   */
  public enum EventType {
    SESSION_MESSAGE("session.message"),
    SESSION_STATE("session.state"),
    SESSION_TAKEN_OVER("session.taken_over"),
    SESSION_FAILED("session.failed"),
    SESSION_SUMMARISED("session.summarised"),
    SESSION_NOTICES_HELD("session.notices_held"),
    SUBAGENT_CREATED("subagent.created"),
    SUBAGENT_STARTED("subagent.started"),
    SUBAGENT_COMPLETED("subagent.completed"),
    SUBAGENT_FAILED("subagent.failed"),
    BACKGROUND_TASK_STARTED("background_task.started"),
    BACKGROUND_TASK_PROGRESS("background_task.progress"),
    BACKGROUND_TASK_COMPLETED("background_task.completed"),
    BACKGROUND_TASK_FAILED("background_task.failed"),
    BACKGROUND_TASK_CANCELLED("background_task.cancelled"),
    TASK_RETRYING("task.retrying"),
    MODEL_STARTED("model.started"),
    MODEL_ENDED("model.ended"),
    TOOL_STARTED("tool.started"),
    TOOL_PROGRESS("tool.progress"),
    TOOL_ENDED("tool.ended"),
    DELIVERY_DELIVERED("delivery.delivered"),
    DELIVERY_DEAD("delivery.dead");

    private final String word;

    EventType(String word) {
      this.word = word;
    }

    /** The word in the database and in JSON. */
    @JsonValue
    public String word() {
      return word;
    }
  }
}
