package dev.errand.model;

import java.time.Duration;

/**
 * The rate at which an endpoint may be called: a bucket of calls that fills with time. As long as
 * the endpoint refuses none, the rate doubles each second in which it is used up. A refusal shows
 * what the endpoint takes; from then on the rate grows slowly.
 *
 * <p>Not thread-safe. Times are those of {@link System#nanoTime}.
 */
final class Pace {

  private static final double FIRST_RATE = 50;
  private static final double LOWEST_RATE = 0.2;
  private static final double SECOND = Duration.ofSeconds(1).toNanos();

  /**
   * The time in which a rate that was learned doubles while calls wait for it and none is refused.
   */
  private static final double DOUBLES_IN = 120;

  /** The time over which the calls that the endpoint took are averaged. */
  private static final double AVERAGED_OVER = 30;

  /** With fewer calls since the last refusal, their number says nothing about a rate. */
  private static final int ENOUGH = 10;

  private boolean learned;
  private double rate = FIRST_RATE;
  private double calls = FIRST_RATE;
  private long filledAt;
  private long grownAt;
  private long busySince;
  private int madeSince;
  private double average;
  private final long averagedFrom;
  private long averagedAt;
  private RefusedRate last = new RefusedRate(FIRST_RATE, 0, 0);

  /** The rate that was known when the endpoint refused a call. */
  private record RefusedRate(double rate, int made, long since) {}

  Pace(long now) {
    filledAt = now;
    grownAt = now;
    busySince = now;
    averagedFrom = now;
    averagedAt = now;
  }

  /** Returns how many calls may be made now. */
  int available(long now) {
    fill(now);
    return (int) calls;
  }

  /** Takes a call from the bucket. */
  void take(long now) {
    fill(now);
    if (calls >= capacity()) {
      busySince = now;
      madeSince = 0;
    }
    calls = Math.max(0, calls - 1);
    madeSince++;
    if (!learned && calls < 1 && now - grownAt >= SECOND) {
      rate *= 2;
      grownAt = now;
    }
  }

  /** Records that the endpoint took a call. */
  void answered(long now) {
    average = decayed(now) + 1 / AVERAGED_OVER;
    averagedAt = now;
  }

  private double decayed(long now) {
    return average * Math.exp((averagedAt - now) / SECOND / AVERAGED_OVER);
  }

  /** Returns the number of calls per second that the endpoint took lately. */
  private double taken(long now) {
    var seconds = Math.max(5, (now - averagedFrom) / SECOND);
    return decayed(now) / (1 - Math.exp(-seconds / AVERAGED_OVER));
  }

  /** Gives back a call that was taken and is not made after all. */
  void giveBack() {
    calls = Math.min(capacity(), calls + 1);
    madeSince--;
  }

  /** Returns the time until {@code count} calls may be made. */
  Duration until(double count) {
    return Duration.ofNanos((long) (Math.max(0, count - calls) / rate * SECOND) + 1);
  }

  /** Records that the endpoint takes at most this many calls now. */
  void limit(long now, long remaining) {
    fill(now);
    calls = Math.min(calls, remaining);
  }

  /**
   * Records that the endpoint refused a call and takes no other before {@code opensAt}. What it
   * took since it was last free, in the time until it takes calls again, is nearly its rate, but
   * what it took on average it will take again: some endpoints refuse a few calls whatever their
   * rate.
   *
   * @param again whether it took no call since the last refusal, which is then measured again
   */
  void refused(long now, long opensAt, boolean again) {
    fill(now);
    last = again ? last : new RefusedRate(rate, madeSince, busySince);
    var seconds = Math.max(0.001, (opensAt - last.since()) / SECOND);
    var next =
        last.made() > ENOUGH
            ? Math.clamp(0.9 * (last.made() - 1) / seconds, last.rate() / 4, last.rate() * 0.9)
            : last.rate() / 2;
    rate = Math.max(LOWEST_RATE, Math.max(next, Math.min(last.rate(), taken(now))));
    learned = true;
    calls = 0;
    filledAt = opensAt;
    busySince = opensAt;
    madeSince = 0;
  }

  /**
   * Returns the size of the bucket. It is small once the rate is known: an endpoint counts over a
   * time of its own.
   */
  private double capacity() {
    return learned ? Math.max(1, rate / 10) : rate;
  }

  private void fill(long now) {
    var seconds = (now - filledAt) / SECOND;
    if (seconds <= 0) {
      return;
    }
    if (learned) {
      // Only while calls wait for the rate: time without calls says nothing about the endpoint.
      var filling = Math.clamp((capacity() - calls) / rate, 0, seconds);
      rate *= Math.pow(2, filling / DOUBLES_IN);
    }
    calls = Math.min(capacity(), calls + seconds * rate);
    filledAt = now;
  }
}
