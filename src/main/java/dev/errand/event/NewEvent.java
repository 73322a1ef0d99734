package dev.errand.event;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import org.jspecify.annotations.Nullable;

/**
 * An event to be recorded.
 *
 * @param session in whose stream it is
 * @param subject the task it is about; null when it is about the session itself
 * @param data is written as JSON at once
 */
public record NewEvent(SessionId session, EventType type, @Nullable TaskId subject, Object data) {

  /** One about the session itself. */
  public static NewEvent of(SessionId session, EventType type, Object data) {
    return new NewEvent(session, type, null, data);
  }
}
