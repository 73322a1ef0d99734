package dev.errand.session;

import dev.errand.conversation.Ids;
import dev.errand.conversation.SessionId;
import dev.errand.postgres.Pipeline;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.UUID;

/**
 * Creates children. No other transaction sees a child before the commit, so it is created queued,
 * together with its first message, and needs no mailbox.
 */
@Singleton
public class NewChildren {

  private final SessionInserts sessions;
  private final RunQueue runQueue;
  private final SessionEvents events;

  NewChildren(SessionInserts sessions, RunQueue runQueue, SessionEvents events) {
    this.sessions = sessions;
    this.runQueue = runQueue;
    this.events = events;
  }

  /**
   * A child that this transaction creates.
   *
   * @param job the id of the job that is to run it
   */
  public record CreatedChild(SessionId id, UUID job) {}

  /**
   * Creates a child with the message that it begins with, in a pipeline. {@link #enqueue} or a wait
   * follows its execution.
   */
  @Transactional(TxType.MANDATORY)
  public CreatedChild create(Pipeline pipeline, NewSession child, InboxEntry.UserMessage message) {
    var created = new CreatedChild(child.id(), Ids.next());
    sessions.queued(pipeline, child, message, created.job());
    return created;
  }

  /** Enqueues the job of a child. */
  @Transactional(TxType.MANDATORY)
  public void enqueue(CreatedChild child) {
    runQueue.enqueue(child.id(), child.job());
    events.state(child.id(), SessionState.QUEUED, "message");
  }
}
