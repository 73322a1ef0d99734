package dev.errand.run;

import dev.errand.conversation.SessionId;

/** Decides whether what a failed run was to do is tried again (R5). */
public interface Retrying {

  /**
   * Called in the transaction that ends the run, after the session's row is locked.
   *
   * @return true when the session is to wait, without a job, until whoever says so resumes it
   */
  boolean putOff(SessionId session, LoopEnd.Failed end);
}
