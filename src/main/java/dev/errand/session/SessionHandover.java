package dev.errand.session;

import dev.errand.conversation.Ids;
import dev.errand.conversation.SessionId;
import dev.errand.trace.TraceContext;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Hands sessions to other workers: because a worker died, stops or yields, because a job was lost,
 * or because its user resumes it.
 */
@Singleton
public class SessionHandover {

  /** The epoch rises, so that the previous run cannot write any more. */
  private static final String HAND_OVER =
      """
      update session
      set state = 'queued', queued_at = clock_timestamp(), job_id = :job, node_id = null, updated_at = now(),
          epoch = epoch + 1, takeovers = case when :yielded then 0 else takeovers + :lost end
      where id = :id and epoch = :epoch and state = 'running' and (:yielded or node_id = :node)
      returning takeovers
      """;

  private final Jdbi jdbi;
  private final Mailbox mailbox;
  private final RunQueue runQueue;
  private final TurnBoundary boundary;
  private final SessionEvents events;
  private final ModelCallEvents modelCalls;

  SessionHandover(
      Jdbi jdbi,
      Mailbox mailbox,
      RunQueue runQueue,
      TurnBoundary boundary,
      SessionEvents events,
      ModelCallEvents modelCalls) {
    this.jdbi = jdbi;
    this.mailbox = mailbox;
    this.runQueue = runQueue;
    this.boundary = boundary;
    this.events = events;
    this.modelCalls = modelCalls;
  }

  /**
   * Yields a session to another worker at a turn boundary.
   *
   * @throws LeaseLost the run no longer owns the session
   */
  @Transactional(TxType.MANDATORY)
  public void yield(Lease lease) {
    if (handOver(lease, null, 0, "yielded").isEmpty()) {
      throw new LeaseLost(lease);
    }
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
   * Lets a root at rest continue at its user's request: it takes up the notices that did not wake
   * it, and answers what a failed or stopped run left unanswered. No effect when there is nothing
   * to do.
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
                .bind("id", id)
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
    var takeovers = handOver(lease, deadNode, 1, "taken_over");
    takeovers.ifPresent(_ -> events.takenOver(lease.session(), reason));
    return takeovers;
  }

  /** Queues a session again that {@code node} drives and will not finish because it stops. */
  @Transactional(TxType.MANDATORY)
  public void release(Lease lease, UUID node) {
    var ignored = handOver(lease, node, 0, "released");
  }

  /**
   * @param node that has the session; null when the run itself gives it away
   */
  private Optional<Integer> handOver(Lease lease, @Nullable UUID node, int lost, String reason) {
    var id = lease.session();
    var job = Ids.next();
    var takeovers =
        jdbi.withHandle(handle ->
            handle
                .createQuery(HAND_OVER)
                .bind("id", id)
                .bind("epoch", lease.epoch())
                .bind("job", job)
                .bind("yielded", node == null)
                .bind("node", node)
                .bind("lost", lost)
                .mapTo(Integer.class)
                .findOne());
    takeovers.ifPresent(_ -> {
      if (node != null) {
        modelCalls.lost(id, reason);
      }
      runQueue.enqueue(id, job);
      events.state(id, SessionState.QUEUED, reason);
    });
    return takeovers;
  }

  /**
   * Enqueues a new job for a session that is queued but whose job may be lost. Does nothing while
   * another transaction has locked the session.
   */
  @Transactional
  public void requeue(SessionId id) {
    var found =
        jdbi.withHandle(handle ->
            handle
                .createQuery(
                    """
                    select 1 from session where id = :id and state = 'queued' for no key update skip locked
                    """)
                .bind("id", id)
                .mapTo(Integer.class)
                .findOne());
    found.ifPresent(_ -> mailbox.enqueue(id));
  }
}
