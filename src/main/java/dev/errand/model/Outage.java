package dev.errand.model;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The state of an endpoint that may be away: it is away when it failed several times without an
 * answer in between. Then one call at a time tries whether it is back.
 *
 * <p>Not thread-safe. Times are those of {@link System#nanoTime}.
 */
final class Outage {

  private static final int AWAY_AFTER = 3;

  /** How long a trial keeps other calls out. */
  private static final Duration TRIAL = Duration.ofSeconds(5);

  private final Duration trialEvery;
  private int failures;
  private long trialAt;
  private boolean trying;
  private @Nullable ModelException lastFault;

  /**
   * @param trialEvery the shortest time between two trials
   */
  Outage(Duration trialEvery) {
    this.trialEvery = trialEvery;
  }

  boolean isOn() {
    return failures >= AWAY_AFTER;
  }

  /** Returns why the endpoint is away; null while it is not. */
  @Nullable ModelException reason() {
    return isOn() ? lastFault : null;
  }

  /** Nanoseconds until the next trial; not positive when a call may be made. */
  long closedFor(long now) {
    return isOn() ? trialAt - now : 0;
  }

  /** Records that a call is made. */
  void tried(long now) {
    trying = isOn();
    trialAt = now + TRIAL.toNanos();
  }

  /** Records that a call was not made after all. If it was to be the trial, another one may be. */
  void notTried(long now) {
    if (trying) {
      trying = false;
      trialAt = now;
    }
  }

  void failed(long now, ModelException fault) {
    failures++;
    trying = false;
    lastFault = fault;
    var pause = fault.retryAfter().filter(asked -> asked.compareTo(trialEvery) > 0);
    trialAt = now + pause.map(RateLimit::kept).orElse(trialEvery).toNanos();
  }

  /**
   * Records that the endpoint has answered.
   *
   * @return whether it was away
   */
  boolean ended() {
    var was = isOn();
    failures = 0;
    trying = false;
    lastFault = null;
    return was;
  }
}
