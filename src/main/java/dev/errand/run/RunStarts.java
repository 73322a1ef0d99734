package dev.errand.run;

import dev.errand.conversation.SessionId;
import dev.errand.model.EndpointGate;
import dev.errand.node.Node;
import dev.errand.run.ModelAdmission.FirstCall;
import dev.errand.session.Lease;
import dev.errand.session.Session;
import dev.errand.session.SessionClaims;
import dev.errand.session.Suspension;
import dev.errand.session.TurnBoundary;
import dev.errand.task.TaskClaims;
import dev.errand.task.TaskClaims.TaskAttempt;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The starts of runs: the claim of the session, the start of its task and the first turn boundary
 * commit together.
 */
@Singleton
class RunStarts {

  private final SessionClaims sessions;
  private final TaskClaims claims;
  private final ModelAdmission models;
  private final RunWaits waits;
  private final Suspensions suspensions;
  private final TurnBoundary boundary;
  private final RunWorkspaces workspaces;
  private final Node node;

  RunStarts(
      SessionClaims sessions,
      TaskClaims claims,
      ModelAdmission models,
      RunWaits waits,
      Suspensions suspensions,
      TurnBoundary boundary,
      RunWorkspaces workspaces,
      Node node) {
    this.sessions = sessions;
    this.claims = claims;
    this.models = models;
    this.waits = waits;
    this.suspensions = suspensions;
    this.boundary = boundary;
    this.workspaces = workspaces;
    this.node = node;
  }

  /**
   * A session with the right to drive it.
   *
   * @param attempt of the session's task; null when it has no live task
   * @param firstCall the right to the first model call; null when the run has to ask for it
   * @param boundary the first turn boundary, which the run takes out; empty when the run begins
   *     with it
   */
  record ClaimedRun(
      Lease lease,
      Session session,
      @Nullable TaskAttempt attempt,
      EndpointGate.@Nullable Permit firstCall,
      AtomicReference<TurnBoundary.@Nullable BegunTurn> boundary) {}

  /**
   * Claims the session for this node; empty when there is nothing to do, when a pause applies to
   * the session, or when its task has not begun and cannot call its model yet, or not today: the
   * task stays pending, so that its time-out does not run. The first turn boundary is part of it,
   * unless a workspace has to be checked out before the model is called.
   */
  @Transactional
  Optional<ClaimedRun> claim(SessionId id) {
    return sessions.claim(id, node.id()).flatMap(this::begin);
  }

  /** Claims a session without the turn boundary. */
  @Transactional
  Optional<ClaimedRun> claimOnly(SessionId id) {
    return sessions.claimOnly(id, node.id()).flatMap(this::begin);
  }

  private Optional<ClaimedRun> begin(SessionClaims.ClaimedSession claim) {
    if (suspend(claim, suspensions.byPause(claim.session()))) {
      return Optional.empty();
    }
    if (!claims.isNew(claim)) {
      return Optional.of(begin(claim, null));
    }
    return suspend(claim, suspensions.byQuota(claim.session()))
        ? Optional.empty()
        : beginNew(claim);
  }

  private Optional<ClaimedRun> beginNew(SessionClaims.ClaimedSession claim) {
    return switch (models.firstCall(claim.session())) {
      case FirstCall.Now(var permit) -> Optional.of(begin(claim, permit));
      case FirstCall.Later(var end) -> {
        var ignored = waits.delay(claim.lease(), end);
        yield Optional.empty();
      }
    };
  }

  private ClaimedRun begin(
      SessionClaims.ClaimedSession claim, EndpointGate.@Nullable Permit firstCall) {
    return new ClaimedRun(
        claim.lease(),
        claim.session(),
        claims.begin(claim),
        firstCall,
        new AtomicReference<>(firstBoundary(claim)));
  }

  /** Suspends the session if there is a reason. Returns whether there is one. */
  private boolean suspend(SessionClaims.ClaimedSession claim, Optional<Suspension> by) {
    by.ifPresent(found -> suspensions.suspend(claim.lease(), found));
    return by.isPresent();
  }

  private TurnBoundary.@Nullable BegunTurn firstBoundary(SessionClaims.ClaimedSession claim) {
    var look = claim.look();
    return look == null || workspaces.isCopy(claim.session())
        ? null
        : boundary.settle(claim.session(), look);
  }
}
