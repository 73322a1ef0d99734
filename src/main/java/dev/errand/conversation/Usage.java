package dev.errand.conversation;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of model calls as the provider counted them.
 *
 * @param inputTokens all tokens of the request
 * @param cachedInputTokens those of them that the provider read from its cache
 * @param cost by the price list; null when the model has no price
 * @param estimated true if the provider has not counted, so that the numbers are an estimate from
 *     the length of the texts; otherwise absent
 */
public record Usage(
    long inputTokens,
    long cachedInputTokens,
    long outputTokens,
    @JsonInclude(Include.NON_NULL) @Nullable Cost cost,
    @JsonInclude(Include.NON_NULL) @Nullable Boolean estimated) {

  public static final Usage NONE = new Usage(0, 0);

  public Usage(long inputTokens, long outputTokens) {
    this(inputTokens, 0, outputTokens);
  }

  public Usage(long inputTokens, long cachedInputTokens, long outputTokens) {
    this(inputTokens, cachedInputTokens, outputTokens, null, null);
  }

  /** Returns an estimate. */
  public static Usage estimate(long inputTokens, long outputTokens) {
    return new Usage(inputTokens, 0, outputTokens, null, true);
  }

  /** Returns whether the numbers are an estimate. */
  @JsonIgnore
  public boolean isEstimate() {
    return Boolean.TRUE.equals(estimated);
  }

  /** Returns this usage with a cost. */
  public Usage costing(Cost known) {
    return new Usage(inputTokens, cachedInputTokens, outputTokens, known, estimated);
  }

  public Usage plus(Usage other) {
    return new Usage(
        inputTokens + other.inputTokens,
        cachedInputTokens + other.cachedInputTokens,
        outputTokens + other.outputTokens,
        Cost.sum(cost, other.cost),
        estimated == null ? other.estimated : estimated);
  }
}
