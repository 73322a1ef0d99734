package dev.errand.model;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * When this node may call an endpoint. All runs of the node share the gates, so that an endpoint
 * that is away is called by one of them from time to time and not by all.
 */
public final class EndpointGate {

  /** Failures without an answer in between, after which the endpoint counts as away. */
  private static final int AWAY_AFTER = 3;

  /** How long a call to an endpoint that is away keeps other calls out. */
  private static final Duration TRIAL = Duration.ofSeconds(30);

  private final Duration trialEvery;
  private final LongSupplier nanoTime;
  private final Runnable whenOpened;
  private int failures;
  private long opensAt;
  private @Nullable ModelException lastFault;

  /**
   * @param trialEvery the shortest time between two calls to an endpoint that is away
   * @param whenOpened called when calls that had to wait may be possible again
   */
  EndpointGate(Duration trialEvery, LongSupplier nanoTime, Runnable whenOpened) {
    this.trialEvery = trialEvery;
    this.nanoTime = nanoTime;
    this.whenOpened = whenOpened;
    this.opensAt = nanoTime.getAsLong();
  }

  /** Whether a call may be made. */
  public sealed interface Answer {

    /** Yes. The caller closes the permit when the call has ended. */
    record Pass(Permit permit) implements Answer {}

    /**
     * Not yet.
     *
     * @param atLeast asking earlier is useless
     * @param away why the endpoint counts as away; null when it is only busy
     */
    record Wait(Duration atLeast, @Nullable ModelException away) implements Answer {}
  }

  /** The right to make one call. */
  public final class Permit implements AutoCloseable {

    private boolean used;

    private Permit() {}

    /** Whether this is the right to call at that endpoint. */
    public boolean isOf(EndpointGate gate) {
      return gate == EndpointGate.this;
    }

    /** The endpoint has answered. */
    public void answered() {
      used = true;
      opened();
    }

    /** The call failed. */
    public void failed(ModelException fault) {
      if (fault.isAway()) {
        used = true;
        countFailure(fault);
      } else if (fault.code() != ModelException.Code.MODEL_INTERRUPTED) {
        answered();
      }
    }

    /** Another run may call when this one did not, or was interrupted. Idempotent. */
    @Override
    public void close() {
      if (!used) {
        used = true;
        notCalled();
      }
    }
  }

  /** Asks for the right to make one call now. */
  public synchronized Answer ask() {
    var now = nanoTime.getAsLong();
    if (opensAt - now > 0) {
      return new Answer.Wait(Duration.ofNanos(opensAt - now), isAway() ? lastFault : null);
    }
    if (isAway()) {
      opensAt = now + TRIAL.toNanos();
    }
    return new Answer.Pass(new Permit());
  }

  /** The number of calls that may be made now; a hint. */
  public synchronized int room() {
    if (opensAt - nanoTime.getAsLong() > 0) {
      return 0;
    }
    return isAway() ? 1 : Integer.MAX_VALUE;
  }

  private boolean isAway() {
    return failures >= AWAY_AFTER;
  }

  private synchronized void notCalled() {
    if (isAway()) {
      opensAt = nanoTime.getAsLong();
    }
  }

  private void opened() {
    synchronized (this) {
      var wasAway = isAway();
      failures = 0;
      lastFault = null;
      if (!wasAway) {
        return;
      }
      opensAt = nanoTime.getAsLong();
    }
    whenOpened.run();
  }

  private synchronized void countFailure(ModelException fault) {
    failures++;
    lastFault = fault;
    if (isAway()) {
      var asked = fault.retryAfter().orElse(Duration.ZERO);
      var pause = asked.compareTo(trialEvery) > 0 ? asked : trialEvery;
      opensAt = nanoTime.getAsLong() + pause.toNanos();
    }
  }
}
