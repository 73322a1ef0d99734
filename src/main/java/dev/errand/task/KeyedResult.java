package dev.errand.task;

import dev.errand.conversation.MessageId;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import org.jspecify.annotations.Nullable;

/**
 * The result of a request with a key: a task, or something in a session.
 *
 * @param session the session that was opened, or that got the message or ran the command; null for
 *     a task
 * @param output what the command printed
 */
public record KeyedResult(
    @Nullable TaskId task,
    @Nullable SessionId session,
    @Nullable MessageId message,
    @Nullable String output) {

  static KeyedResult task(TaskId task) {
    return new KeyedResult(task, null, null, null);
  }

  public static KeyedResult session(SessionId session) {
    return new KeyedResult(null, session, null, null);
  }

  public static KeyedResult message(SessionId session, MessageId message) {
    return new KeyedResult(null, session, message, null);
  }

  public static KeyedResult output(SessionId session, String output) {
    return new KeyedResult(null, session, null, output);
  }
}
