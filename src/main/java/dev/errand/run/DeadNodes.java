package dev.errand.run;

import dev.errand.node.Node;
import dev.errand.node.NodeLease;
import dev.errand.session.LiveSessions;
import dev.errand.session.RunQueue;
import dev.errand.session.SessionHandover;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.scheduler.Scheduled;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.UUID;
import org.jboss.logging.Logger;

/**
 * Puts back what a dead process left running. Runs on every node; two that do it at once do it
 * once. Sessions at the head of the queue get another job, for theirs may have died with a worker
 * that had not claimed them yet.
 */
@ApplicationScoped
public class DeadNodes {

  private static final Logger LOG = Logger.getLogger(DeadNodes.class);

  /** More jobs than a node has in its hands. */
  private static final int IN_HAND = 500;

  private final NodeLease nodes;
  private final LiveSessions live;
  private final SessionHandover handover;
  private final RunTransactions transactions;
  private final RunQueue jobs;
  private final Node node;

  DeadNodes(
      NodeLease nodes,
      LiveSessions live,
      SessionHandover handover,
      RunTransactions transactions,
      RunQueue jobs,
      Node node) {
    this.nodes = nodes;
    this.live = live;
    this.handover = handover;
    this.transactions = transactions;
    this.jobs = jobs;
    this.node = node;
  }

  void atStart(@Observes @Priority(20) StartupEvent start) {
    nodes.deadAtStart().forEach(this::recover);
  }

  @Scheduled(every = "1s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  void reap() {
    nodes.dead().forEach(this::recover);
    live.driversWithoutRow(node.id()).forEach(this::recover);
  }

  private void recover(UUID dead) {
    var left = live.drivenBy(dead);
    for (var driven : left) {
      transactions.takeOver(driven.lease().session(), dead, "node_lost");
      jobs.discard(driven.job());
    }
    var queued = live.queuedFor(Duration.ZERO, IN_HAND);
    queued.forEach(waiting -> handover.requeue(waiting.session()));
    nodes.forget(dead);
    LOG.infof(
        "Node %s is gone: %d sessions put back, %d of the queue have another job",
        dead, left.size(), queued.size());
  }

  /**
   * Last of all, after the workers have stopped: what they could not finish goes to whoever comes
   * next.
   */
  void atStop(@Observes @Priority(100) ShutdownEvent stop) {
    live.drivenBy(node.id()).forEach(driven -> transactions.release(driven.lease().session()));
    nodes.forget(node.id());
  }
}
