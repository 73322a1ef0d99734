package dev.errand.session;

import dev.errand.conversation.Word;

/** The state of a tool call in the ledger. */
public enum ToolCallState implements Word {
  /** Not started yet. */
  PLANNED,
  /** Started by a worker that has not saved the outcome. */
  STARTED,
  /** The answer will come through the inbox. */
  DEFERRED,
  /** Answered. */
  DONE,
  /** Answered without a known outcome, because the worker died. */
  UNKNOWN,
  /** Answered with the reason of a hook that denied it; not started. */
  DENIED;

  /** Returns whether the call has no answer yet. */
  boolean isOpen() {
    return switch (this) {
      case PLANNED, STARTED, DEFERRED -> true;
      case DONE, UNKNOWN, DENIED -> false;
    };
  }
}
