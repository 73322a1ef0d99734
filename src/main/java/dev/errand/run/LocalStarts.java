package dev.errand.run;

import dev.errand.conversation.SessionId;
import dev.errand.model.EndpointGate.Permit;
import dev.errand.model.EndpointGates.GateAnswer;
import dev.errand.model.EndpointGates.GateCaller;
import dev.errand.node.Node;
import dev.errand.node.NodeLease;
import dev.errand.pause.Pauses;
import dev.errand.postgres.AfterCommit;
import dev.errand.session.DayQuotas;
import dev.errand.session.KeptWorker.FirstTurn;
import dev.errand.session.Lease;
import dev.errand.session.NewSession;
import dev.errand.session.Transcript;
import dev.errand.session.TurnBoundary;
import dev.errand.task.TaskClaims.TaskAttempt;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.jboss.logging.MDC;

/**
 * Runs that begin on this node with the commit of the transaction that queues their sessions: these
 * belong to this node from then on. First runs of children need not even a claim, because they are
 * created together with their first turn boundary.
 */
@ApplicationScoped
public class LocalStarts {

  private static final long FIRST_EPOCH = 1;

  private final ActiveRuns activeRuns;
  private final RunStarts starts;
  private final ModelWaits waits;
  private final ConversationMemory memory;
  private final Pauses pauses;
  private final DayQuotas quotas;
  private final Node node;
  private final NodeLease nodeLease;
  private final AfterCommit afterCommit;
  private final Map<SessionId, Started> started = new ConcurrentHashMap<>();

  LocalStarts(
      ActiveRuns activeRuns,
      RunStarts starts,
      ModelWaits waits,
      ConversationMemory memory,
      Pauses pauses,
      DayQuotas quotas,
      Node node,
      NodeLease nodeLease,
      AfterCommit afterCommit) {
    this.activeRuns = activeRuns;
    this.starts = starts;
    this.waits = waits;
    this.memory = memory;
    this.pauses = pauses;
    this.quotas = quotas;
    this.node = node;
    this.nodeLease = nodeLease;
    this.afterCommit = afterCommit;
  }

  /** A run that no worker drives yet. */
  record Started(RunStarts.Claimed claimed, Run run) {}

  /** Whether this node may rely on its lease. */
  public boolean mayClaim() {
    return nodeLease.isTrusted();
  }

  /**
   * Claims a session that the current transaction has queued. Its run begins with the commit.
   *
   * @param worker gives the session to a worker, which calls {@link SessionRunner#run}; false when
   *     this node stops. The session is then queued again
   * @return false when there is nothing to run
   */
  @Transactional(TxType.MANDATORY)
  public boolean claim(SessionId session, BooleanSupplier worker) {
    MDC.put("session", session.toString());
    try {
      var claimed = starts.claimQueued(session);
      claimed.ifPresent(run -> begin(run, worker));
      return claimed.isPresent();
    } finally {
      MDC.remove("session");
    }
  }

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
        mayClaim()
            && memory.hasRoom()
            && !quotas.apply(child.tenant())
            && pauses.holding(child.tenant(), spec.agent(), spec.model()).isEmpty();
    return mayBegin
            && waits.gate(spec.model(), child.tenant()).ask(GateCaller.NEW)
                instanceof GateAnswer.Pass(var permit)
        ? Optional.of(permit)
        : Optional.empty();
  }

  /**
   * Begins the run of a child that was created with this node as its owner, with the commit.
   *
   * @param firstCall the right to its first model call
   */
  @Transactional(TxType.MANDATORY)
  public void begin(FirstTurn turn, Permit firstCall, BooleanSupplier worker) {
    var session = turn.session();
    var attempt = new TaskAttempt(turn.task(), 1);
    var lease = new Lease(session.id(), FIRST_EPOCH);
    begin(new RunStarts.Claimed(lease, session, attempt, firstCall, opening(turn)), worker);
  }

  /** A commit whose answer is lost may have been made: the loss of the run is not its fault. */
  private void begin(RunStarts.Claimed claimed, BooleanSupplier worker) {
    afterCommit.run(() -> drive(claimed, worker));
    afterCommit.otherwise(() -> activeRuns.excuse(claimed.session().id()));
  }

  /** Registers the run before a worker has it, so that a stop waits for it. */
  private void drive(RunStarts.Claimed claimed, BooleanSupplier worker) {
    var session = claimed.session().id();
    var run = activeRuns.begin(claimed.lease());
    started.put(session, new Started(claimed, run));
    var isTaken = false;
    try {
      isTaken = worker.getAsBoolean();
    } finally {
      if (!isTaken && take(session).isPresent()) {
        Optional.ofNullable(claimed.firstCall()).ifPresent(Permit::close);
        activeRuns.excuse(session);
        activeRuns.end(run);
      }
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
