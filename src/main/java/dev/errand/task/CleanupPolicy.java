package dev.errand.task;

import dev.errand.conversation.Word;

/** The rule for a child's transcript after its result was read. */
public enum CleanupPolicy implements Word {
  KEEP,
  DELETE
}
