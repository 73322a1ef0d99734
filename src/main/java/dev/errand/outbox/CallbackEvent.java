package dev.errand.outbox;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** What is posted to the callback of a task. */
public enum CallbackEvent {
  STARTED,
  /** Only of a background task. */
  PROGRESS,
  ENDED;

  /** The word in the database and in JSON. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
