package dev.errand.run;

import dev.errand.conversation.SessionId;

/**
 * Somebody whose rows change with a run's start and end. Each method is called in the transaction
 * that changes the session, after its row is locked; an exception rolls both back.
 */
public interface RunObserver {

  /** A worker begins or goes on with the session. */
  void claimed(SessionId session);

  /** The agent has said its last word for now. */
  void finished(SessionId session, LoopEnd.Finished end);

  /** The run cannot go on. */
  void failed(SessionId session, LoopEnd.Failed end);

  /** The session was taken from a worker that died, and is queued again. */
  void takenOver(SessionId session);
}
