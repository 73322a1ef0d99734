package dev.errand.outbox;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** What a delivery carries. */
public enum DeliveryKind {
  /** The notice of a task's end. */
  NOTICE,
  /** The answer to the parent's tool call. */
  TOOL_RESULT,
  /** A message of the session itself. */
  MESSAGE,
  /** An event of a task for the task's own callback. */
  EVENT,
  /** The progress of a task for the task's own callback. */
  PROGRESS;

  static DeliveryKind of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }

  /** The word in the database and in JSON. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
