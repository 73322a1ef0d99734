package dev.errand.outbox;

import dev.errand.conversation.Word;

/** The kind of event that is posted to the callback of a task. */
public enum CallbackEvent implements Word {
  STARTED,
  /** Only of a background task. */
  PROGRESS,
  ENDED
}
