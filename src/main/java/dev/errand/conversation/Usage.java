package dev.errand.conversation;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of model calls as the provider counted them, or an estimate if it reported none.
 *
 * @param inputTokens all tokens of the request
 * @param cachedInputTokens those of them that the provider read from its cache
 * @param cost by the price list; null when the model has no price
 */
public record Usage(
    long inputTokens,
    long cachedInputTokens,
    long outputTokens,
    @JsonInclude(Include.NON_NULL) @Nullable Cost cost) {

  public static final Usage NONE = new Usage(0, 0);

  public Usage(long inputTokens, long outputTokens) {
    this(inputTokens, 0, outputTokens);
  }

  public Usage(long inputTokens, long cachedInputTokens, long outputTokens) {
    this(inputTokens, cachedInputTokens, outputTokens, null);
  }

  /** The same with this cost. */
  public Usage costing(Cost known) {
    return new Usage(inputTokens, cachedInputTokens, outputTokens, known);
  }

  public Usage plus(Usage other) {
    return new Usage(
        inputTokens + other.inputTokens,
        cachedInputTokens + other.cachedInputTokens,
        outputTokens + other.outputTokens,
        Cost.sum(cost, other.cost));
  }

  /**
   * Sums over the turns of a session, or over those of one task.
   *
   * @param cachedInputTokens the part of the input tokens that providers read from their caches
   * @param cost of the calls whose model has a price; null when none of them has
   */
  public record UsageTotals(
      long inputTokens,
      long cachedInputTokens,
      long outputTokens,
      long turns,
      long toolCalls,
      @JsonInclude(Include.NON_NULL) @Nullable Cost cost) {

    public static final UsageTotals NONE = new UsageTotals(0, 0, 0, 0, 0, null);

    /** The same with another number of tool calls. */
    public UsageTotals withToolCalls(long calls) {
      return new UsageTotals(inputTokens, cachedInputTokens, outputTokens, turns, calls, cost);
    }
  }
}
