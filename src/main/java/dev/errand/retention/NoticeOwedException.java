package dev.errand.retention;

import dev.errand.conversation.SessionId;

/** A session cannot be deleted yet: its parent was not told how its task ended. */
public final class NoticeOwedException extends RuntimeException {

  private static final long serialVersionUID = 1;

  NoticeOwedException(SessionId session) {
    super("a notice about " + session + " is still on its way");
  }
}
