package dev.errand.model;

import dev.errand.model.EndpointGates.GateAnswer;
import dev.errand.model.EndpointGates.GateCaller;
import dev.errand.model.ModelException.Code;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.LongSupplier;

/**
 * Decides when this node may call an endpoint. All runs of the node share the gates: an endpoint
 * that is away is called by one of them from time to time and not by all, and one that limits its
 * calls is called as often as it takes them.
 */
public final class EndpointGate {

  /** A run keeps its worker for a wait of this length. */
  private static final Duration SOON = Duration.ofSeconds(1);

  /** After this time a session that waits for another call to end is woken when one has. */
  private static final Duration SLOT = Duration.ofMillis(50);

  /** How long a call is set aside for a session that is queued. */
  private static final Duration SET_ASIDE = Duration.ofSeconds(1);

  private final GateSettings settings;
  private final LongSupplier nanoTime;
  private final Runnable whenOpened;
  private final Pace pace;
  private final Outage outage;
  private int refusals;
  private int inFlight;
  private int soon;

  /** The times at which unused calls were reserved, oldest first. */
  private final Queue<Long> setAside = new ArrayDeque<>();

  /** The time before which the endpoint accepts no calls, as it reported. */
  private long opensAt;

  /**
   * @param trialEvery the shortest time between two calls to an endpoint that is away
   * @param maxConcurrent the most calls at the same time
   */
  record GateSettings(Duration trialEvery, int maxConcurrent) {}

  /** {@code whenOpened} is called when calls that had to wait may be possible again. */
  EndpointGate(GateSettings settings, LongSupplier nanoTime, Runnable whenOpened) {
    this.settings = settings;
    this.nanoTime = nanoTime;
    this.whenOpened = whenOpened;
    this.opensAt = nanoTime.getAsLong();
    this.pace = new Pace(opensAt);
    this.outage = new Outage(settings.trialEvery());
  }

  /** The right to make one call. */
  public final class Permit implements AutoCloseable {

    private boolean called;
    private boolean closed;

    private Permit() {}

    /** Returns whether this is the right to call at that endpoint. */
    public boolean isOf(EndpointGate gate) {
      return gate == EndpointGate.this;
    }

    /** Records that the endpoint has answered. */
    public void answered() {
      called = true;
      opened();
    }

    /** The call failed. */
    public void failed(ModelException fault) {
      called = fault.code() != Code.MODEL_INTERRUPTED;
      if (fault.isAway()) {
        countFailure(fault);
      } else if (called) {
        opened();
      }
    }

    /** Ends the call, or gives the right to another run when no call was made. Idempotent. */
    @Override
    public void close() {
      if (!closed) {
        closed = true;
        ended(called);
      }
    }
  }

  /** Asks for the right to make one call now. */
  public synchronized GateAnswer ask(GateCaller caller) {
    var now = nanoTime.getAsLong();
    dropUnused(now);
    soon -= caller == GateCaller.RETURNING ? 1 : 0;
    if (opensAt - now <= 0 && setAside.poll() != null) {
      return pass();
    } else if (closedFor(now) > 0) {
      return wait(caller, Duration.ofNanos(closedFor(now)));
    }
    if (inFlight >= settings.maxConcurrent()) {
      return new GateAnswer.NotYet(SLOT, outage.reason());
    }
    if (!hasRoom(now, caller == GateCaller.NEW ? soon : 0)) {
      return wait(caller, pace.until(soon + 1.0));
    }
    take(now);
    return pass();
  }

  private long closedFor(long now) {
    return Math.max(opensAt - now, outage.closedFor(now));
  }

  /** Returns how long no call may be made at all; a hint. */
  public synchronized Duration closedFor() {
    return Duration.ofNanos(Math.max(0, closedFor(nanoTime.getAsLong())));
  }

  /** Returns whether the endpoint counts as away. */
  public synchronized boolean isAway() {
    return outage.isOn();
  }

  private boolean hasRoom(long now, int ahead) {
    return outage.isOn() || pace.available(now) - ahead >= 1;
  }

  private GateAnswer wait(GateCaller caller, Duration time) {
    if (outage.isOn() || caller == GateCaller.NEW || time.compareTo(SOON) > 0) {
      return new GateAnswer.NotYet(time, outage.reason());
    }
    soon++;
    return new GateAnswer.Soon(time);
  }

  private GateAnswer pass() {
    inFlight++;
    return new GateAnswer.Pass(new Permit());
  }

  private void take(long now) {
    pace.take(now);
    outage.tried(now);
  }

  /** Deregisters a caller that was told to ask again soon and does not. */
  public synchronized void leave() {
    soon--;
  }

  /** Reserves one call for a queued session for 1 s. Returns false when none may be made now. */
  public synchronized boolean setAside() {
    var now = nanoTime.getAsLong();
    dropUnused(now);
    if (closedFor(now) > 0
        || inFlight + setAside.size() >= settings.maxConcurrent()
        || !hasRoom(now, soon)) {
      return false;
    }
    take(now);
    setAside.add(now);
    return true;
  }

  /** Returns a call that was set aside and is not needed. */
  public synchronized void putBack() {
    if (setAside.poll() != null) {
      notCalled(nanoTime.getAsLong());
    }
  }

  /** Another node may have claimed the session. */
  private void dropUnused(long now) {
    while (!setAside.isEmpty() && now - setAside.element() > SET_ASIDE.toNanos()) {
      setAside.remove();
      notCalled(now);
    }
  }

  private void notCalled(long now) {
    pace.giveBack();
    outage.notTried(now);
  }

  /** Records how many more calls the endpoint takes, and for how long. */
  synchronized void limited(RateLimit limit) {
    var now = nanoTime.getAsLong();
    pace.limit(now, limit.remaining());
    if (limit.remaining() <= 0) {
      refused(now, limit.resetsIn());
    }
  }

  private void ended(boolean called) {
    boolean wasFull;
    synchronized (this) {
      wasFull = inFlight >= settings.maxConcurrent();
      inFlight--;
      if (!called) {
        notCalled(nanoTime.getAsLong());
      }
    }
    if (wasFull) {
      whenOpened.run();
    }
  }

  private void opened() {
    boolean wasAway;
    synchronized (this) {
      pace.answered(nanoTime.getAsLong());
      refusals = 0;
      wasAway = outage.ended();
    }
    if (wasAway) {
      whenOpened.run();
    }
  }

  private synchronized void countFailure(ModelException fault) {
    var now = nanoTime.getAsLong();
    // 250 ms, 500 ms, up to 32 s, for an endpoint that does not say when it takes calls again.
    var guess = Duration.ofMillis(250L << Math.min(refusals, 7));
    outage.failed(now, fault);
    while (outage.isOn() && setAside.poll() != null) {
      pace.giveBack();
    }
    if (fault.code() == Code.MODEL_RATE_LIMITED) {
      refused(now, fault.retryAfter().map(RateLimit::kept).orElse(guess));
    }
  }

  /** Refusals of calls that were in flight at the first refusal do not change the rate. */
  private void refused(long now, Duration pause) {
    var isFirst = opensAt - now <= 0;
    var until = now + pause.toNanos();
    opensAt = until - opensAt > 0 ? until : opensAt;
    if (isFirst) {
      pace.refused(now, opensAt, refusals > 0);
      refusals++;
    }
  }
}
