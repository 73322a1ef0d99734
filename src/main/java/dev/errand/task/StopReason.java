package dev.errand.task;

import java.util.Locale;

/** The reason why a task ended. */
public enum StopReason {
  /** The agent gave its final answer. */
  END_TURN,
  /** The turn limit was reached, and the agent summed up. */
  MAX_TURNS,
  /** The last answer reached the token limit, and so did its continuation. */
  MAX_TOKENS,
  TIMEOUT,
  CANCELLED,
  /** The tree had used all its tokens or all its money. */
  BUDGET,
  ERROR;

  /** The word in the database and in JSON. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static StopReason of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
