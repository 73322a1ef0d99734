package dev.errand.session;

import dev.errand.conversation.SessionId;
import dev.errand.trace.TraceContext;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/**
 * Hands sessions to other workers: because a worker died or stops, because a job was lost, because
 * what a session waited for without a job has happened, or because its user resumes it.
 */
@Singleton
public class SessionHandover {

  private static final String TAKE_OVER =
      """
      update session
      set state = 'waiting', epoch = epoch + 1, node_id = null, takeovers = takeovers + :lost, updated_at = now()
      where id = :id and epoch = :epoch and state = 'running' and node_id = :node
      returning takeovers
      """;

  private final Jdbi jdbi;
  private final Mailbox mailbox;
  private final TurnBoundary boundary;
  private final SessionEvents events;

  SessionHandover(Jdbi jdbi, Mailbox mailbox, TurnBoundary boundary, SessionEvents events) {
    this.jdbi = jdbi;
    this.mailbox = mailbox;
    this.boundary = boundary;
    this.events = events;
  }

  /**
   * Queues a session that waits without a job. The caller knows that the session waits for that
   * reason.
   */
  @Transactional(TxType.MANDATORY)
  public void resume(SessionId id) {
    queueIf(id, SessionState.WAITING);
  }

  /**
   * Lets a child at rest continue without a new message, because it still owes its answer. The
   * caller has locked the session and knows that it is idle. The turns of its task are counted on.
   */
  @Transactional(TxType.MANDATORY)
  public void wake(SessionId child) {
    mailbox.queue(child, false, null, "due");
  }

  /**
   * The user of a root at rest lets it continue: it takes up the notices that were held back, and
   * answers what a failed or stopped run left unanswered. No effect when there is nothing to do.
   */
  @Transactional
  public void resumeAtRest(SessionId id) {
    var found =
        jdbi.withHandle(handle ->
            handle
                .createQuery(
                    """
                    select 1 from session
                    where id = :id and state = 'idle' and kind = 'hosted' and parent_id is null
                    for no key update
                    """)
                .bind("id", id.value())
                .mapTo(Integer.class)
                .findOne());
    if (found.isPresent() && boundary.takeUp(id)) {
      mailbox.queue(id, true, TraceContext.current(), "resumed");
    }
  }

  /**
   * Takes the session from a dead worker and queues it again. From now on that worker cannot write,
   * should it continue.
   *
   * @param lease of that worker; a run that has claimed the session since then keeps it
   * @param reason why the worker counts as dead, a word for programs
   * @return how many workers the session has lost since its last saved turn; empty when the worker
   *     no longer had the session
   */
  @Transactional(TxType.MANDATORY)
  public Optional<Integer> takeOver(Lease lease, UUID deadNode, String reason) {
    var takeovers = takeOver(lease, deadNode, 1);
    takeovers.ifPresent(_ -> events.takenOver(lease.session(), reason));
    return takeovers;
  }

  /** Queues a session again that {@code node} drives and will not finish because it stops. */
  @Transactional(TxType.MANDATORY)
  public void release(Lease lease, UUID node) {
    takeOver(lease, node, 0);
  }

  private Optional<Integer> takeOver(Lease lease, UUID node, int lost) {
    var id = lease.session();
    var takeovers =
        jdbi.withHandle(handle ->
            handle
                .createQuery(TAKE_OVER)
                .bind("id", id.value())
                .bind("epoch", lease.epoch())
                .bind("node", node)
                .bind("lost", lost)
                .mapTo(Integer.class)
                .findOne());
    takeovers.ifPresent(_ -> {
      var reason = lost > 0 ? "taken_over" : "released";
      events.modelLost(id, reason);
      mailbox.queue(id, reason);
    });
    return takeovers;
  }

  /**
   * Enqueues a new job for a session that is queued but whose job may be lost. Does nothing while
   * another transaction holds the session.
   */
  @Transactional
  public void requeue(SessionId id) {
    queueIf(id, SessionState.QUEUED);
  }

  private void queueIf(SessionId id, SessionState state) {
    var found =
        jdbi.withHandle(handle ->
            handle
                .createQuery(
                    """
                    select 1 from session where id = :id and state = :state for no key update skip locked
                    """)
                .bind("id", id.value())
                .bind("state", state.word())
                .mapTo(Integer.class)
                .findOne());
    found.ifPresent(_ -> {
      if (state == SessionState.QUEUED) {
        mailbox.enqueue(id);
      } else {
        mailbox.queue(id, "due");
      }
    });
  }
}
