package dev.errand.api.http;

import org.jspecify.annotations.Nullable;

/**
 * Reads numbers in query parameters; what is none is the client's mistake, not an unknown address.
 */
public final class Numbers {

  private static final long MAX_LIMIT = 200;
  private static final int DEFAULT_LIMIT = 50;
  private static final long MAX_WAIT_MS = 60_000;

  private Numbers() {}

  /**
   * How many items a page has: 1 to 200, 50 when not given.
   *
   * @throws Refusal it is something else
   */
  public static int limit(@Nullable String text) {
    return text == null ? DEFAULT_LIMIT : (int) number("limit", text, 1, MAX_LIMIT);
  }

  /**
   * How long to wait: 0 to 60,000 ms, 0 when not given.
   *
   * @throws Refusal it is something else
   */
  public static long waitMs(@Nullable String text) {
    return text == null ? 0 : number("wait_ms", text, 0, MAX_WAIT_MS);
  }

  /**
   * After which message a transcript's page begins; 0, its start, when not given.
   *
   * @throws Refusal it is something else
   */
  public static long afterSeq(@Nullable String text) {
    return text == null ? 0 : number("after_seq", text, 0, Long.MAX_VALUE);
  }

  /**
   * Behind which event a stream begins; 0, its start, when not given.
   *
   * @throws Refusal it is something else
   */
  public static long place(String name, @Nullable String text) {
    return text == null ? 0 : number(name, text, 0, Long.MAX_VALUE);
  }

  private static long number(String name, String text, long min, long max) {
    try {
      var value = Long.parseLong(text);
      if (value >= min && value <= max) {
        return value;
      }
    } catch (NumberFormatException notANumber) {
      throw outside(name, min, max);
    }
    throw outside(name, min, max);
  }

  private static Refusal outside(String name, long min, long max) {
    var upper = max == Long.MAX_VALUE ? " or more" : " to " + max;
    return Refusal.invalid(name, "must be a whole number, " + min + upper);
  }
}
