package dev.errand.run;

import dev.errand.node.Node;
import dev.errand.node.NodeLease;
import dev.errand.session.LiveSessions;
import dev.errand.session.SessionHandover;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.scheduler.Scheduled;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.UUID;
import org.jboss.logging.Logger;

/**
 * Puts back what a dead process left running. Runs on every node; two that do it at once do it
 * once. At start-up it also enqueues every queued session again, for a job may have died with its
 * worker before it claimed anything.
 */
@ApplicationScoped
public class DeadNodes {

  private static final Logger LOG = Logger.getLogger(DeadNodes.class);

  private final NodeLease nodes;
  private final LiveSessions live;
  private final SessionHandover handover;
  private final RunTransactions transactions;
  private final Node node;

  DeadNodes(
      NodeLease nodes,
      LiveSessions live,
      SessionHandover handover,
      RunTransactions transactions,
      Node node) {
    this.nodes = nodes;
    this.live = live;
    this.handover = handover;
    this.transactions = transactions;
    this.node = node;
  }

  void atStart(@Observes @Priority(20) StartupEvent start) {
    nodes.deadAtStart().forEach(this::bury);
  }

  @Scheduled(every = "1s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  void reap() {
    nodes.dead().forEach(this::bury);
  }

  private void bury(UUID dead) {
    var left = live.drivenBy(dead);
    left.forEach(driven -> transactions.putBack(driven.lease().session(), dead, "node_lost"));
    var queued = live.queued();
    queued.forEach(handover::requeue);
    nodes.forget(dead);
    LOG.infof(
        "Node %s is gone: %d sessions put back, %d in the queue", dead, left.size(), queued.size());
  }

  /**
   * Last of all, after the workers have stopped: what they could not finish goes to whoever comes
   * next.
   */
  void atStop(@Observes @Priority(100) ShutdownEvent stop) {
    live.drivenBy(node.id()).forEach(driven -> transactions.handBack(driven.lease().session()));
    nodes.forget(node.id());
  }
}
