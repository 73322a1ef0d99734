package dev.errand.session;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.errand.conversation.SessionId;
import dev.errand.postgres.Pipeline;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/**
 * New children. No other transaction sees a child before the commit, so it is created queued,
 * together with its first message, and needs no mailbox.
 */
@Singleton
public class NewChildren {

  private static final String HOLD =
      "update session set state = 'waiting', job_id = null, queued_at = null where id = :id";

  private final Jdbi jdbi;
  private final SessionInserts sessions;
  private final RunQueue runQueue;
  private final SessionEvents events;

  NewChildren(Jdbi jdbi, SessionInserts sessions, RunQueue runQueue, SessionEvents events) {
    this.jdbi = jdbi;
    this.sessions = sessions;
    this.runQueue = runQueue;
    this.events = events;
  }

  /**
   * A child that this transaction creates.
   *
   * @param job the id of the job that is to run it
   */
  public record Created(SessionId id, UUID job) {}

  /**
   * Creates a child with the message that it begins with, in a pipeline. {@link #enqueue} or {@link
   * #hold} follows its execution.
   */
  @Transactional(TxType.MANDATORY)
  public Created create(Pipeline pipeline, NewSession child, InboxEntry.UserMessage message) {
    var created = new Created(child.id(), UuidCreator.getTimeOrderedEpoch());
    sessions.queued(pipeline, child, message, created.job());
    return created;
  }

  /** Enqueues the job of a child. */
  @Transactional(TxType.MANDATORY)
  public void enqueue(Created child) {
    runQueue.enqueue(child.id(), child.job());
    events.state(child.id(), SessionState.QUEUED, "message");
  }

  /**
   * Makes a child wait without a job until it is resumed.
   *
   * @param reason a word for programs
   */
  @Transactional(TxType.MANDATORY)
  public void hold(Created child, String reason) {
    jdbi.useHandle(handle -> handle.createUpdate(HOLD).bind("id", child.id().value()).execute());
    events.state(child.id(), SessionState.WAITING, reason);
  }
}
