package dev.errand.conversation;

/**
 * Sums over the turns of a session, or over those of one task.
 *
 * @param cachedInputTokens the part of the input tokens that providers read from their caches
 */
public record UsageTotals(
    long inputTokens, long cachedInputTokens, long outputTokens, long turns, long toolCalls) {

  public static final UsageTotals NONE = new UsageTotals(0, 0, 0, 0, 0);

  /** The same with another number of tool calls. */
  public UsageTotals withToolCalls(long calls) {
    return new UsageTotals(inputTokens, cachedInputTokens, outputTokens, turns, calls);
  }
}
