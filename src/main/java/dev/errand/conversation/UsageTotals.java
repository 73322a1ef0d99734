package dev.errand.conversation;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import org.jspecify.annotations.Nullable;

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

  /** Returns these totals with another number of tool calls. */
  public UsageTotals withToolCalls(long calls) {
    return new UsageTotals(inputTokens, cachedInputTokens, outputTokens, turns, calls, cost);
  }
}
