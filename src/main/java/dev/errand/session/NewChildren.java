package dev.errand.session;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.errand.conversation.SessionId;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/**
 * The first run of a new child. No other transaction sees it before the commit, so it is created
 * queued, together with its first message, and needs no mailbox.
 */
@ApplicationScoped
public class NewChildren {

  private static final String HOLD =
      "update session set state = 'waiting', job_id = null, queued_at = null where id = :id";

  private final Jdbi jdbi;
  private final SessionStore sessions;
  private final RunQueue runQueue;
  private final SessionEvents events;

  NewChildren(Jdbi jdbi, SessionStore sessions, RunQueue runQueue, SessionEvents events) {
    this.jdbi = jdbi;
    this.sessions = sessions;
    this.runQueue = runQueue;
    this.events = events;
  }

  /**
   * A child that this transaction created.
   *
   * @param job the id of the job that is to run it
   */
  public record Created(SessionId id, UUID job) {}

  /**
   * Creates a child with the message that it begins with. {@link #enqueue} or {@link #hold}
   * follows.
   */
  @Transactional(TxType.MANDATORY)
  public Created create(NewSession child, InboxEntry.UserMessage message) {
    var created = new Created(child.id(), UuidCreator.getTimeOrderedEpoch());
    sessions.create(child, message, created.job());
    return created;
  }

  /** Enqueues the job of a child. */
  @Transactional(TxType.MANDATORY)
  public void enqueue(Created child) {
    runQueue.enqueue(child.id(), child.job());
  }

  /** Reports that a child is queued. */
  @Transactional(TxType.MANDATORY)
  public void queued(Created child) {
    events.state(child.id(), SessionState.QUEUED, "message");
  }

  /**
   * Makes a child wait without a job until it is resumed. A job that it has finds nothing to do.
   *
   * @param reason a word for programs
   */
  @Transactional(TxType.MANDATORY)
  public void hold(Created child, String reason) {
    jdbi.useHandle(handle -> handle.createUpdate(HOLD).bind("id", child.id().value()).execute());
    events.state(child.id(), SessionState.WAITING, reason);
  }
}
