package dev.errand.session;

import dev.errand.conversation.SessionId;
import java.util.UUID;

/** Where jobs "run this session" are put. */
public interface RunQueue {

  /**
   * Enqueues one job in the current transaction: it is there after a commit and not after a
   * rollback. A second job for the same session does no harm, it finds nothing to do.
   *
   * @return the job's id
   */
  UUID enqueue(SessionId session);
}
