package dev.errand.session;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** The state of a session. */
public enum SessionState {
  /** Nothing to do. */
  IDLE,
  /** Has an inbox entry, and a job that will run the session. */
  QUEUED,
  /** A worker drives the session. */
  RUNNING,
  /** Waits for foreground tasks, for its model or for a time, without a worker or a thread. */
  WAITING,
  CLOSED;

  /** The word in the database and in JSON. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static SessionState of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
