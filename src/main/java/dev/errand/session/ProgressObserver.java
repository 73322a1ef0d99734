package dev.errand.session;

import dev.errand.conversation.SessionId;

/**
 * Somebody who is told that a session's run got on: a turn was saved, or a tool call ended. Called
 * in the transaction that saves it, after the session's row was locked.
 */
public interface ProgressObserver {

  void progressed(SessionId session);
}
