package dev.errand.session;

import java.util.Locale;

/** Where a session stands. */
public enum SessionState {
  /** Nothing to do. */
  IDLE,
  /** Has something in its inbox and a job that will run it. */
  QUEUED,
  /** A worker drives it. */
  RUNNING,
  /** Foreground tasks have to end before its next turn. No worker, no thread. */
  WAITING,
  CLOSED;

  /** The word in the database and in JSON. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static SessionState of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
