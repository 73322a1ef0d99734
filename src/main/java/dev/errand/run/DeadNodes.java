package dev.errand.run;

import dev.errand.node.Node;
import dev.errand.node.NodeLease;
import dev.errand.node.Sweep;
import dev.errand.node.Sweeps;
import dev.errand.postgres.IsolatedSteps;
import dev.errand.session.LiveSessions;
import dev.errand.session.SessionHandover;
import dev.errand.worktree.OwedChanges;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.UUID;
import org.jboss.logging.Logger;

/**
 * Takes over the sessions of dead nodes. Runs on every node; several nodes may do it at once.
 * Sessions at the head of the queue get another job, because theirs may have died with a worker
 * that had not claimed them yet.
 */
@Singleton
public class DeadNodes {

  private static final Logger LOG = Logger.getLogger(DeadNodes.class);

  /** More jobs than a node takes in advance. */
  private static final int IN_HAND = 500;

  private final NodeLease nodes;
  private final LiveSessions live;
  private final SessionHandover handover;
  private final Handovers handovers;
  private final Node node;
  private final IsolatedSteps steps;
  private final OwedChanges changes;

  DeadNodes(
      NodeLease nodes,
      LiveSessions live,
      SessionHandover handover,
      Handovers handovers,
      Node node,
      IsolatedSteps steps,
      OwedChanges changes) {
    this.nodes = nodes;
    this.live = live;
    this.handover = handover;
    this.handovers = handovers;
    this.node = node;
    this.steps = steps;
    this.changes = changes;
  }

  void atStart(@Observes @Priority(20) StartupEvent start) {
    steps.forEachIsolated("recover_node", nodes.deadAtStart(), this::recover);
  }

  void sweeps(@Observes StartupEvent start, Sweeps sweeps) {
    sweeps.add(
        Sweep.whenDue("Dead nodes", NodeLease.SOME_OTHER, this::reap)
            .orWhenDue(LiveSessions.SOME_OF_OTHERS));
  }

  void reap() {
    steps.forEachIsolated("recover_node", nodes.dead(), this::recover);
    steps.forEachIsolated("recover_node", live.driversWithoutRow(node.id()), this::recover);
  }

  /**
   * Takes over the sessions of a dead node. The node's row is deleted last: if a session could not
   * be taken over, it is tried again.
   */
  private void recover(UUID dead) {
    var driven = live.drivenBy(dead);
    var recovered =
        steps.countIsolated(
            "take_over",
            driven,
            session -> {
              changes.around(() -> handovers.takeOver(session.lease(), dead, "node_lost"));
              return true;
            });
    var queued = live.queuedFor(Duration.ZERO, IN_HAND);
    steps.forEachIsolated("requeue", queued, waiting -> handover.requeue(waiting.session()));
    if (recovered == driven.size()) {
      nodes.forget(dead);
    }
    LOG.infof(
        "Node %s is dead: %d of its %d sessions are queued again, %d queued sessions got another"
            + " job",
        dead, recovered, driven.size(), queued.size());
  }

  /** Gives the sessions that the stopped workers could not finish to other nodes. */
  void atStop(@Observes @Priority(100) ShutdownEvent stop) {
    steps.forEachIsolated(
        "release", live.drivenBy(node.id()), driven -> handovers.release(driven.lease()));
    nodes.forget(node.id());
  }
}
