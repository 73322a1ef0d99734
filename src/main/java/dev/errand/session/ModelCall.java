package dev.errand.session;

/**
 * A model call of a run, as events report it.
 *
 * @param seq the place that the answer gets in the transcript if nothing else precedes it
 * @param attempt 1, or more when the call is repeated
 * @param sinceNanos the start of the attempt on the monotonic clock
 */
public record ModelCall(long seq, String model, int attempt, long sinceNanos) {

  /** Returns the first attempt, which starts now. */
  public static ModelCall first(long seq, String model) {
    return new ModelCall(seq, model, 1, System.nanoTime());
  }

  /** Returns the next attempt, which starts now. */
  public ModelCall again() {
    return new ModelCall(seq, model, attempt + 1, System.nanoTime());
  }

  /** Returns the next attempt, with another model, which starts now. */
  public ModelCall with(String other) {
    return new ModelCall(seq, other, attempt + 1, System.nanoTime());
  }

  /** Returns how long the attempt has taken until now. */
  public long ms() {
    return (System.nanoTime() - sinceNanos) / 1_000_000;
  }
}
