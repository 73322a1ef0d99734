package dev.errand.outbox;

import dev.errand.conversation.Word;

/** The content of a delivery. */
public enum DeliveryKind implements Word {
  /** The notice of a task's end. */
  NOTICE,
  /** The answer to the parent's tool call. */
  TOOL_RESULT,
  /** A message of the session itself. */
  MESSAGE,
  /** An event of a task for the task's own callback. */
  EVENT,
  /** The progress of a task for the task's own callback. */
  PROGRESS,
  /** An event for a hook. */
  HOOK;

  /** Returns whether the session that delegated the task gets it. */
  public boolean isResult() {
    return this == NOTICE || this == TOOL_RESULT;
  }
}
