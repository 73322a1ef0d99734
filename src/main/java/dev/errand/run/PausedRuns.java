package dev.errand.run;

import dev.errand.node.HintListener;
import dev.errand.node.Sweep;
import dev.errand.node.Sweeps;
import dev.errand.node.Topic;
import dev.errand.pause.Pause;
import dev.errand.pause.Pauses;
import dev.errand.postgres.IsolatedSteps;
import dev.errand.session.Lease;
import dev.errand.session.PausedSessions;
import dev.errand.session.Session;
import dev.errand.task.StoppedClocks;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.List;
import java.util.Optional;
import org.jboss.logging.Logger;

/**
 * Ends runs that a pause holds, and queues their sessions when no pause holds them any more. Every
 * node looks after a hint, and once a second while there is a pause.
 */
@ApplicationScoped
class PausedRuns implements HintListener {

  private static final Logger LOG = Logger.getLogger(PausedRuns.class);
  private static final int BATCH = 100;

  private final Pauses pauses;
  private final PausedSessions sessions;
  private final StoppedClocks clocks;
  private final IsolatedSteps steps;

  PausedRuns(Pauses pauses, PausedSessions sessions, StoppedClocks clocks, IsolatedSteps steps) {
    this.pauses = pauses;
    this.sessions = sessions;
    this.clocks = clocks;
    this.steps = steps;
  }

  void start(@Observes StartupEvent start, Sweeps sweeps) {
    var due = String.join(" or ", Pauses.SOME, PausedSessions.SOME, StoppedClocks.SOME_ABOVE);
    sweeps.add(
        Sweep.whenDue("Pauses", due, this::hinted).orWhenWanted(() -> !pauses.inForce().isEmpty()));
  }

  @Override
  public Topic topic() {
    return Topic.PAUSES;
  }

  /** The pause that holds a session, as far as this node knows. */
  Optional<Pause> holding(Session session) {
    return pauses.holding(session.tenant(), session.agent(), session.model());
  }

  /**
   * Ends a run until a pause is over. The time-out of its task stops.
   *
   * @throws dev.errand.session.LeaseLost the run no longer owns the session
   */
  @Transactional(TxType.MANDATORY)
  void hold(Lease lease, Pause pause) {
    sessions.hold(lease, pause.id(), pause.reason());
    clocks.stop(lease.session());
    LOG.infof("The session waits: %s (%s)", pause.reason(), pause.id());
  }

  @Override
  public void hinted() {
    var inForce = pauses.refresh();
    release(inForce);
    clocks.stopOnlyAbove(sessions.above());
  }

  /** Ends when a batch makes no progress: what failed is tried again a second later. */
  private void release(List<Pause> inForce) {
    var ids = inForce.stream().map(Pause::id).toList();
    List<PausedSessions.Held> held;
    int released;
    do {
      held = sessions.heldByOthers(ids, BATCH);
      released = steps.countIsolated("resume_paused", held, session -> release(session, inForce));
    } while (held.size() == BATCH && released > 0);
  }

  private boolean release(PausedSessions.Held held, List<Pause> inForce) {
    var other =
        inForce.stream()
            .filter(pause -> pause.holds(held.tenant(), held.agent(), held.model()))
            .findFirst();
    if (other.isPresent()) {
      sessions.handOver(held.id(), other.get().id(), other.get().reason());
      return true;
    }
    return QuarkusTransaction.requiringNew().call(() -> resume(held, inForce));
  }

  private boolean resume(PausedSessions.Held held, List<Pause> inForce) {
    var isFree = sessions.release(held.id(), inForce.stream().map(Pause::id).toList());
    if (isFree) {
      sessions.resume(held.id(), clocks.resume(held.id(), held.tenant()));
    }
    return isFree;
  }
}
