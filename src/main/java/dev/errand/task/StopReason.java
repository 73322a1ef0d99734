package dev.errand.task;

import java.util.Locale;

/** Why a task's child stopped. */
public enum StopReason {
  /** It had said all it wanted. */
  END_TURN,
  /** The turn limit made it sum up. */
  MAX_TURNS,
  TIMEOUT,
  CANCELLED,
  /** The tree had used its tokens up. */
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
