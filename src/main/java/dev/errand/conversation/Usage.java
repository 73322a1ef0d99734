package dev.errand.conversation;

/** The tokens of model calls as the provider counted them; 0 if it reported none. */
public record Usage(long inputTokens, long outputTokens) {

  public static final Usage NONE = new Usage(0, 0);
}
