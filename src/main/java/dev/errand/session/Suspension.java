package dev.errand.session;

/** The reason why a session is suspended. */
public sealed interface Suspension {

  record ByPause(Waits.WaitPause pause) implements Suspension {}

  /** The tenant has used up its day. */
  record ByQuota(DayQuotas.Exceeded quota) implements Suspension {}

  /** Returns a word for programs. */
  default String word() {
    return this instanceof ByPause ? "paused" : "quota_exceeded";
  }
}
