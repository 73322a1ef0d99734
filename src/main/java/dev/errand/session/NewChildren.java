package dev.errand.session;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.postgres.Pipeline;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Supplier;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * The first run of a new child. No other transaction sees it before the commit, so it is created
 * queued, together with its first message, and needs no mailbox. When this node has a worker for
 * it, it is created running, with that message in its transcript.
 */
@Singleton
public class NewChildren {

  private static final String HOLD =
      "update session set state = 'waiting', node_id = null, job_id = null, queued_at = null where id = :id";

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
   * @param begun to be read after the pipeline was executed; null when the child is queued
   */
  public record Created(SessionId id, UUID job, @Nullable Supplier<Running> begun) {

    public boolean isRunning() {
      return begun != null;
    }

    /** Called for a running child, when the pipeline was executed. */
    public Running running() {
      return Objects.requireNonNull(begun).get();
    }
  }

  /**
   * A child that a worker of this node drives after the commit.
   *
   * @param message that its transcript begins with
   * @param content of the message, as JSON
   */
  public record Running(
      KeptWorker worker, Session session, StoredMessage message, String content) {}

  /**
   * Creates a child with the message that it begins with, in a pipeline. {@link #enqueue} or {@link
   * #hold} follows its execution.
   */
  @Transactional(TxType.MANDATORY)
  public Created create(Pipeline pipeline, NewSession child, InboxEntry.UserMessage message) {
    var created = new Created(child.id(), UuidCreator.getTimeOrderedEpoch(), null);
    sessions.queued(pipeline, child, message, created.job());
    return created;
  }

  /** The same for a child that a worker drives. {@link #begin} or {@link #hold} follows. */
  @Transactional(TxType.MANDATORY)
  public Created create(
      Pipeline pipeline, NewSession child, InboxEntry.UserMessage message, KeptWorker worker) {
    var running = sessions.running(pipeline, child, message.asMessage(), worker);
    return new Created(child.id(), UuidCreator.getTimeOrderedEpoch(), running);
  }

  /** Enqueues the job of a child. */
  @Transactional(TxType.MANDATORY)
  public void enqueue(Created child) {
    runQueue.enqueue(child.id(), child.job());
  }

  /** Reports that a child is queued. */
  @Transactional(TxType.MANDATORY)
  public void queued(Created child) {
    queued(child.id());
  }

  private void queued(SessionId child) {
    events.state(child, SessionState.QUEUED, "message");
  }

  /** Reports that a child is queued, as every session is before it runs, and that it runs. */
  @Transactional(TxType.MANDATORY)
  public void running(Running child) {
    var id = child.session().id();
    queued(id);
    events.state(id, SessionState.RUNNING, null);
  }

  /**
   * Begins the first turn of a running child at the commit.
   *
   * @param task that the child works on, reported as started
   * @param tree of the child
   */
  @Transactional(TxType.MANDATORY)
  public void begin(Running child, TaskId task, TreeStore.Tree tree) {
    var session = child.session();
    said(child);
    var call = ModelCall.first(child.message().seq() + 1, session.model());
    events.modelStarted(session.id(), call);
    child.worker().begin(new KeptWorker.FirstTurn(session, child.message(), call, task, tree));
  }

  private void said(Running child) {
    var message = child.message();
    events.said(
        new SessionEvents.Place(
            message.id(),
            child.session().id(),
            message.seq(),
            null,
            null,
            null,
            message.createdAt()),
        message.message(),
        SessionEvents.Origin.NONE,
        child.content());
  }

  /**
   * Makes a child wait without a job until it is resumed. A job that it has finds nothing to do.
   *
   * @param reason a word for programs
   */
  @Transactional(TxType.MANDATORY)
  public void hold(Created child, String reason) {
    jdbi.useHandle(handle -> handle.createUpdate(HOLD).bind("id", child.id().value()).execute());
    if (child.isRunning()) {
      var running = child.running();
      running.worker().free();
      said(running);
    }
    events.state(child.id(), SessionState.WAITING, reason);
  }
}
