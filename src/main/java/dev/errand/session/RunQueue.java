package dev.errand.session;

import dev.errand.conversation.Ids;
import dev.errand.conversation.SessionId;
import dev.errand.postgres.Pipeline;
import java.util.UUID;

/** The queue of the jobs "run this session". Every run of a session begins with such a job. */
public interface RunQueue {

  /**
   * Enqueues one job in the current transaction: a commit keeps it, a rollback removes it. A second
   * job for the same session does no harm because it finds nothing to do.
   *
   * @param job the id of the job, which no other job has
   */
  void enqueue(SessionId session, UUID job);

  /** Enqueues a job for the session with a new id, and returns the id. */
  default UUID enqueue(SessionId session) {
    var job = Ids.next();
    enqueue(session, job);
    return job;
  }

  /**
   * Adds to a pipeline what removes the job that this thread executes, if it executes one. The
   * current transaction claims the session of the job.
   */
  void removeCurrent(Pipeline pipeline);
}
