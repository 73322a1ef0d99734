package dev.errand.context;

import dev.errand.model.ContextWindows;

/**
 * The limits of what is sent to one model.
 *
 * @param tokens that a request may have
 * @param turnResultChars that the results of one turn may have together
 * @param answerTokens that one answer may have; an answer with more comes from several calls
 */
public record ContextLimits(long tokens, long turnResultChars, long answerTokens) {

  static ContextLimits of(ContextWindows.Window window, ContextConfig config) {
    var tokens = window.inputTokens();
    return new ContextLimits(
        tokens, Math.min(config.turnResultChars(), chars(tokens) / 3), window.answerTokens());
  }

  /** Limits for a model that has refused a request with that many tokens. */
  ContextLimits narrowedTo(long refused) {
    var fits = Math.min(tokens, refused);
    return new ContextLimits(fits, Math.min(turnResultChars, chars(fits) / 3), answerTokens);
  }

  /** Returns whether old results of tools are left out at this length. */
  public boolean isHigh(long estimate) {
    return estimate >= tokens * 70 / 100;
  }

  /** Down to this, once old results are left out. */
  long low() {
    return tokens / 2;
  }

  /** Returns whether older messages are summarised at this length. */
  boolean isTooHigh(long estimate) {
    return estimate >= tokens * 85 / 100;
  }

  /** Returns the length from which on a summary that failed is tried again. */
  long nextSummary(long failedAt) {
    return failedAt + tokens / 10;
  }

  /** Returns what is kept of the latest turns when older ones are summarised. */
  long tailChars() {
    return chars(tokens) / 5;
  }

  /** A longer request of the user is summarised like other messages. */
  long requestChars() {
    return chars(tokens) / 4;
  }

  /** Returns the length below which messages are not worth a summary. */
  long worthwhileChars() {
    return chars(tokens) / 10;
  }

  /** Returns what is read for a summary. */
  public long summaryInputChars() {
    return chars(tokens) / 2;
  }

  /** Returns the length of a summary. */
  int summaryChars() {
    return (int) Math.min(chars(tokens) / 10, 40_000);
  }

  private static long chars(long tokens) {
    return tokens * ContextWindows.CHARS_PER_TOKEN;
  }
}
