package dev.errand.run;

import dev.errand.node.Node;
import dev.errand.session.Lease;
import dev.errand.session.SessionHandover;
import dev.errand.session.SessionStops;
import dev.errand.task.TaskCompletion;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import java.util.UUID;

/** Hands sessions to other workers because theirs died, or because this node stops. */
@Singleton
class Handovers {

  private final SessionHandover sessions;
  private final SessionStops stops;
  private final TaskCompletion tasks;
  private final RunEnds ends;
  private final Node node;
  private final RunConfig config;
  private final RunMetrics metrics;

  Handovers(
      SessionHandover sessions,
      SessionStops stops,
      TaskCompletion tasks,
      RunEnds ends,
      Node node,
      RunConfig config,
      RunMetrics metrics) {
    this.sessions = sessions;
    this.stops = stops;
    this.tasks = tasks;
    this.ends = ends;
    this.node = node;
    this.config = config;
    this.metrics = metrics;
  }

  /**
   * Takes a session over from a dead worker, if that worker still owns it. A session that keeps
   * killing its workers fails instead.
   */
  @Transactional
  void takeOver(Lease lease, UUID deadNode, String reason) {
    var session = lease.session();
    var takeovers = sessions.takeOver(lease, deadNode, reason);
    if (takeovers.isEmpty()) {
      return;
    }
    metrics.takenOver(reason);
    tasks.takenOver(session);
    if (takeovers.get() >= config.takeovers()) {
      var end = LoopEnd.Failed.workersLost(takeovers.get());
      stops.abandon(session, end.reason());
      ends.failed(session, end);
    }
  }

  /** Queues a session for another node because this node stops; this counts as no takeover. */
  @Transactional
  void release(Lease lease) {
    sessions.release(lease, node.id());
  }
}
