package dev.errand.task;

import dev.errand.conversation.SessionId;

/** A session was not deleted: somebody was not told yet how its task ended. Trying again helps. */
public final class NotToldYet extends RuntimeException {

  private static final long serialVersionUID = 1;

  NotToldYet(SessionId session) {
    super("a notice about " + session + " is still on its way");
  }
}
