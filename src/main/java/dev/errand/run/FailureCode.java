package dev.errand.run;

import java.util.Locale;

/** Why a run fails permanently; faults of model calls have codes of their own. */
enum FailureCode {
  WORKER_LOST,
  AGENT_UNKNOWN,
  BUDGET_EXHAUSTED,
  MODEL_UNPRICED,
  /** The model ended without a word, and gave no closing answer either. */
  MODEL_EMPTY_ANSWER,
  WORKSPACE_NOT_ALLOWED,
  WORKSPACE_LOST,
  WORKSPACE_FAILED,
  DATABASE_ERROR;

  /** The code in answers, events and metrics, for example {@code worker_lost}. */
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
