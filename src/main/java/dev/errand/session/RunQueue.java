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

  /**
   * Removes the job of a worker that died, outside of a transaction. It is not needed: such a job
   * finds nothing to do. One that is gone or just changing stays as it is.
   */
  void discard(UUID job);
}
