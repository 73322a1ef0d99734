package dev.errand.conversation;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of model calls as the provider counted them; 0 if it reported none.
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
}
