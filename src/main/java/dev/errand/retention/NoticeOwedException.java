package dev.errand.retention;

import dev.errand.conversation.SessionId;

/** A session cannot be deleted yet, because the end of its task was not delivered to its parent. */
public final class NoticeOwedException extends RuntimeException {

  private static final long serialVersionUID = 1;

  NoticeOwedException(SessionId session) {
    super("the notice about " + session + " is not delivered yet");
  }
}
