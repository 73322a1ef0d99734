package dev.errand.session;

import dev.errand.conversation.SessionId;
import java.util.UUID;

/** The queue of the jobs "run this session". */
public interface RunQueue {

  /**
   * Enqueues one job in the current transaction: a commit keeps it, a rollback removes it. A second
   * job for the same session does no harm because it finds nothing to do.
   *
   * @return the job's id
   */
  UUID enqueue(SessionId session);

  /**
   * Removes the job of a worker that died, outside of a transaction. This is optional, because such
   * a job finds nothing to do. A job that does not exist or is just changing is left alone.
   */
  void discard(UUID job);
}
