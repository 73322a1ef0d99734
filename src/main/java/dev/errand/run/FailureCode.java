package dev.errand.run;

import dev.errand.conversation.Word;

/**
 * The reason why a run fails permanently, for example {@code worker_lost}; faults of model calls
 * have codes of their own.
 */
enum FailureCode implements Word {
  WORKER_LOST,
  AGENT_UNKNOWN,
  BUDGET_EXHAUSTED,
  MODEL_UNPRICED,
  /** The model ended without a word, and gave no closing answer either. */
  MODEL_EMPTY_ANSWER,
  WORKSPACE_NOT_ALLOWED,
  WORKSPACE_LOST,
  WORKSPACE_FAILED,
  DATABASE_ERROR
}
