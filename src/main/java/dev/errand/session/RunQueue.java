package dev.errand.session;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.errand.conversation.SessionId;
import java.util.Optional;
import java.util.UUID;

/** The queue of the jobs "run this session". */
public interface RunQueue {

  /**
   * Enqueues one job in the current transaction: a commit keeps it, a rollback removes it. A second
   * job for the same session does no harm because it finds nothing to do.
   *
   * @param job the id of the job, which no other job has
   */
  void enqueue(SessionId session, UUID job);

  /** The same with a new id, which is returned. */
  default UUID enqueue(SessionId session) {
    var job = UuidCreator.getTimeOrderedEpoch();
    enqueue(session, job);
    return job;
  }

  /**
   * Keeps a worker of this node for the first run of a child that the current transaction is about
   * to create; a rollback frees it.
   *
   * @return empty when the child has to be queued: no worker is free, other jobs wait, or its model
   *     may not be called now
   */
  Optional<KeptWorker> keepWorker(NewSession child);

  /**
   * Gives a session to a free worker of this node. The current transaction has queued the session,
   * and its run begins with the commit, without a job. What holds the session, such as a pause,
   * holds it in the same transaction.
   *
   * @return false when the session needs a job, because no worker is free or other jobs wait
   */
  boolean claim(SessionId session);

  /**
   * Removes the job that this thread executes, if it executes one, in the current transaction,
   * which claims the session.
   */
  void removeCurrent();
}
