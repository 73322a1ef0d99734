package dev.errand.task;

import dev.errand.conversation.Word;

/** The reason why a task ended. */
public enum StopReason implements Word {
  /** The agent gave its final answer. */
  END_TURN,
  /** The turn limit was reached, and the agent summed up. */
  MAX_TURNS,
  /**
   * The last answer reached the token limit, and so did its continuation, or its provider stopped
   * it.
   */
  MAX_TOKENS,
  /** The agent ended without an answer, and what it had said before is the result. */
  NO_ANSWER,
  TIMEOUT,
  CANCELLED,
  /** The tree had used all its tokens or all its money. */
  BUDGET,
  ERROR
}
