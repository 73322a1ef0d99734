package dev.errand.run;

import dev.errand.conversation.SessionId;
import dev.errand.node.Hints;
import dev.errand.node.Node;
import dev.errand.node.Topic;
import dev.errand.session.Lease;
import dev.errand.session.Session;
import dev.errand.session.SessionHandover;
import dev.errand.session.SessionStore;
import dev.errand.session.SessionTransitions;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.util.Optional;
import java.util.UUID;

/** A run's beginnings and ends: the session's step and what it means for a task commit together. */
@ApplicationScoped
class RunTransactions {

  private final SessionStore store;
  private final SessionTransitions sessions;
  private final SessionHandover handover;
  private final RunObserver observer;
  private final Retrying retrying;
  private final Node node;
  private final RunConfig config;
  private final Hints hints;
  private final RunMetrics metrics;

  RunTransactions(
      SessionStore store,
      SessionTransitions sessions,
      SessionHandover handover,
      RunObserver observer,
      Retrying retrying,
      Node node,
      RunConfig config,
      Hints hints,
      RunMetrics metrics) {
    this.store = store;
    this.sessions = sessions;
    this.handover = handover;
    this.observer = observer;
    this.retrying = retrying;
    this.node = node;
    this.config = config;
    this.hints = hints;
    this.metrics = metrics;
  }

  /** A session with the right to drive it. */
  record Claimed(Lease lease, Session session) {}

  /** Makes this node the session's worker; empty when there is nothing to do. */
  @Transactional
  Optional<Claimed> claim(SessionId id) {
    var lease = sessions.claim(id, node.id());
    lease.ifPresent(claimed -> observer.claimed(claimed.session()));
    return lease.flatMap(claimed -> store.find(id).map(session -> new Claimed(claimed, session)));
  }

  /**
   * @return false when the run has to go on, because something came in meanwhile
   */
  @Transactional
  boolean finish(Lease lease, LoopEnd.Finished end) {
    if (!sessions.idle(lease)) {
      return false;
    }
    observer.finished(lease.session(), end);
    hints.afterCommit(Topic.ENDS);
    return true;
  }

  /**
   * @return false when the run has to go on, because an answer came in meanwhile
   */
  @Transactional
  boolean park(Lease lease) {
    return sessions.park(lease);
  }

  @Transactional
  void yield(Lease lease) {
    sessions.yield(lease);
  }

  /** Ends the run for good, or until its next attempt. */
  @Transactional
  void fail(Lease lease, LoopEnd.Failed end) {
    sessions.hold(lease);
    if (retrying.putOff(lease.session(), end)) {
      sessions.pause(lease);
      return;
    }
    sessions.fail(lease, reason(end));
    observer.failed(lease.session(), end);
    hints.afterCommit(Topic.ENDS);
  }

  /**
   * Takes a session from a worker that died; one that keeps killing its workers fails instead (R5).
   */
  @Transactional
  void putBack(SessionId session, UUID deadNode, String reason) {
    var takeovers = handover.putBack(session, deadNode);
    if (takeovers.isEmpty()) {
      return;
    }
    metrics.takenOver(reason);
    observer.takenOver(session);
    if (takeovers.get() >= config.takeovers()) {
      var end =
          new LoopEnd.Failed(
              "worker_lost",
              "its worker died " + takeovers.get() + " times in a row without finishing a turn");
      sessions.giveUp(session, reason(end));
      observer.failed(session, end);
      hints.afterCommit(Topic.ENDS);
    }
  }

  /**
   * Hands a session to another node because this one stops; that is nobody's fault and counts as no
   * takeover.
   */
  @Transactional
  void handBack(SessionId session) {
    handover.handBack(session, node.id());
  }

  private static String reason(LoopEnd.Failed end) {
    return "The run ended with an error (" + end.code() + "): " + end.message();
  }
}
