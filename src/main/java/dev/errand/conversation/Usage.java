package dev.errand.conversation;

/** Tokens that model calls used, as the provider counted them; 0 where it told none. */
public record Usage(long inputTokens, long outputTokens) {

  public static final Usage NONE = new Usage(0, 0);
}
