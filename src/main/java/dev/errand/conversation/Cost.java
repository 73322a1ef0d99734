package dev.errand.conversation;

import com.fasterxml.jackson.annotation.JsonValue;
import java.math.BigDecimal;
import java.math.RoundingMode;
import org.jspecify.annotations.Nullable;

/**
 * An amount of money, in the currency of the price list.
 *
 * @param micros millionths of one unit
 */
public record Cost(long micros) implements Comparable<Cost> {

  private static final int DIGITS = 6;

  /**
   * Returns an amount that was given as a decimal number; digits beyond a millionth are cut off.
   */
  public static Cost of(BigDecimal amount) {
    return new Cost(amount.movePointRight(DIGITS).setScale(0, RoundingMode.DOWN).longValueExact());
  }

  /** Returns the cost; null gives null. */
  public static @Nullable Cost ofMicros(@Nullable Long micros) {
    return micros == null ? null : new Cost(micros);
  }

  /** Returns the sum of what is known; null when both are unknown. */
  public static @Nullable Cost sum(@Nullable Cost one, @Nullable Cost other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return new Cost(Math.addExact(one.micros, other.micros));
  }

  /** Returns the cost as it is shown: a plain decimal number. */
  @JsonValue
  public BigDecimal amount() {
    var shortest = BigDecimal.valueOf(micros, DIGITS).stripTrailingZeros();
    return shortest.scale() < 0 ? shortest.setScale(0) : shortest;
  }

  @Override
  public int compareTo(Cost other) {
    return Long.compare(micros, other.micros);
  }

  @Override
  public String toString() {
    return amount().toPlainString();
  }
}
