package dev.errand.event;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import org.jspecify.annotations.Nullable;

/**
 * An event to record.
 *
 * @param session the session whose stream contains the event
 * @param subject the task that the event is about; null for an event about the session itself
 * @param data converted to JSON at once
 */
public record NewEvent(SessionId session, EventType type, @Nullable TaskId subject, Object data) {

  /** Returns an event about the session itself. */
  public static NewEvent of(SessionId session, EventType type, Object data) {
    return new NewEvent(session, type, null, data);
  }
}
