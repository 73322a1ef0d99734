package dev.errand.run;

import dev.errand.conversation.SessionId;
import dev.errand.model.EndpointGate.Permit;
import dev.errand.node.Node;
import dev.errand.node.NodeLease;
import dev.errand.pause.Pauses;
import dev.errand.session.DayQuotas;
import dev.errand.session.KeptWorker.FirstTurn;
import dev.errand.session.Lease;
import dev.errand.session.NewSession;
import dev.errand.session.Transcript;
import dev.errand.session.TurnBoundary;
import dev.errand.task.TaskClaims.TaskAttempt;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

/**
 * First runs of children that this node has created together with their first turn boundary. They
 * need no claim: their sessions belong to this node from the commit on.
 */
@ApplicationScoped
public class LocalStarts {

  private static final long FIRST_EPOCH = 1;

  private final ActiveRuns activeRuns;
  private final ModelWaits waits;
  private final Pauses pauses;
  private final DayQuotas quotas;
  private final Node node;
  private final NodeLease nodeLease;
  private final Map<SessionId, Started> started = new ConcurrentHashMap<>();

  LocalStarts(
      ActiveRuns activeRuns,
      ModelWaits waits,
      Pauses pauses,
      DayQuotas quotas,
      Node node,
      NodeLease nodeLease) {
    this.activeRuns = activeRuns;
    this.waits = waits;
    this.pauses = pauses;
    this.quotas = quotas;
    this.node = node;
    this.nodeLease = nodeLease;
  }

  /** A run that no worker drives yet. */
  record Started(RunStarts.Claimed claimed, Run run) {}

  /** The node that the children belong to. */
  public UUID node() {
    return node.id();
  }

  /**
   * Asks for the right to the first model call of a child. The caller closes it unless the run
   * begins.
   *
   * @return empty when the child has to be queued: a pause or a quota may hold it, its model may
   *     not be called now, or this node has no memory for it or may not rely on its lease
   */
  public Optional<Permit> firstCall(NewSession child) {
    var spec = child.spec();
    var mayBegin =
        nodeLease.isTrusted()
            && !quotas.apply(child.tenant())
            && pauses.holding(child.tenant(), spec.agent(), spec.model()).isEmpty();
    return mayBegin ? waits.firstCall(spec.model(), child.tenant()) : Optional.empty();
  }

  /**
   * Begins a run, after the commit.
   *
   * @param worker gives the session to a worker, which calls {@link SessionRunner#run}; false when
   *     this node stops. The session is then queued again
   */
  public void begin(FirstTurn turn, Permit firstCall, BooleanSupplier worker) {
    var session = turn.session();
    var lease = new Lease(session.id(), FIRST_EPOCH);
    var claimed =
        new RunStarts.Claimed(
            lease, session, new TaskAttempt(turn.task(), 1), firstCall, opening(turn));
    var run = activeRuns.begin(lease);
    started.put(session.id(), new Started(claimed, run));
    if (!worker.getAsBoolean() && take(session.id()).isPresent()) {
      firstCall.close();
      activeRuns.excuse(session.id());
      activeRuns.end(run);
    }
  }

  private static RunStarts.Opening opening(FirstTurn turn) {
    return new RunStarts.Opening(
        Transcript.Current.EMPTY,
        new TurnBoundary.Settled(
            List.of(turn.message()),
            List.of(),
            Optional.of(turn.call()),
            0,
            Optional.empty(),
            Optional.ofNullable(turn.session().traceParent()).stream().toList(),
            turn.tree(),
            null));
  }

  /** Returns the run of a session that no worker drives yet, once. */
  Optional<Started> take(SessionId session) {
    return Optional.ofNullable(started.remove(session));
  }
}
