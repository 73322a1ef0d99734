package dev.errand.conversation;

/**
 * The tokens of model calls as the provider counted them; 0 if it reported none.
 *
 * @param inputTokens all tokens of the request
 * @param cachedInputTokens those of them that the provider read from its cache
 */
public record Usage(long inputTokens, long cachedInputTokens, long outputTokens) {

  public static final Usage NONE = new Usage(0, 0);

  public Usage(long inputTokens, long outputTokens) {
    this(inputTokens, 0, outputTokens);
  }

  public Usage plus(Usage other) {
    return new Usage(
        inputTokens + other.inputTokens,
        cachedInputTokens + other.cachedInputTokens,
        outputTokens + other.outputTokens);
  }
}
