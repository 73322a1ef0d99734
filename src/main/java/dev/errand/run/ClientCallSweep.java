package dev.errand.run;

import dev.errand.node.Node;
import dev.errand.node.Sweep;
import dev.errand.node.Sweeps;
import dev.errand.postgres.IsolatedSteps;
import dev.errand.session.LiveSessions;
import dev.errand.session.SessionStore;
import dev.errand.session.StrandedCalls;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import org.jboss.logging.Logger;

/**
 * Compares the tool calls of clients that this node executes with the database, once a second:
 * stops those that were ended from outside, and takes over those that no node executes.
 */
@Singleton
class ClientCallSweep {

  private static final Logger LOG = Logger.getLogger(ClientCallSweep.class);

  private final ClientCallRunner runner;
  private final StrandedCalls stranded;
  private final SessionStore sessions;
  private final LiveSessions live;
  private final Node node;
  private final RunConfig config;
  private final IsolatedSteps steps;

  ClientCallSweep(
      ClientCallRunner runner,
      StrandedCalls stranded,
      SessionStore sessions,
      LiveSessions live,
      Node node,
      RunConfig config,
      IsolatedSteps steps) {
    this.runner = runner;
    this.stranded = stranded;
    this.sessions = sessions;
    this.live = live;
    this.node = node;
    this.config = config;
    this.steps = steps;
  }

  void sweeps(@Observes StartupEvent start, Sweeps sweeps) {
    sweeps.add(
        Sweep.whenDue("Tool calls of clients", StrandedCalls.SOME, this::look)
            .orWhenWanted(() -> !runner.running().isEmpty()));
  }

  private void look() {
    var leases = runner.running();
    if (!leases.isEmpty()) {
      live.lost(leases).forEach(runner::lose);
    }
    if (!runner.isStopping()) {
      steps.forEachIsolated("take_over_call", stranded.find(node.id()), this::takeOver);
    }
  }

  private void takeOver(StrandedCalls.StrandedCall lost) {
    var session = sessions.find(lost.lease().session());
    var isMine = lost.node().equals(node.id()) && runner.running().contains(lost.lease());
    if (isMine || session.isEmpty()) {
      return;
    }
    stranded
        .takeOver(lost, node.id(), config.takeovers())
        .ifPresent(call -> {
          LOG.warnf(
              "A tool call of %s, whose node was %s, is taken over",
              session.get().id(), lost.node());
          runner.execute(session.get(), call);
        });
  }
}
