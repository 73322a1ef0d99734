package dev.errand.session;

import dev.errand.conversation.Word;

/** The state of a session. */
public enum SessionState implements Word {
  /** Nothing to do. */
  IDLE,
  /** Has an inbox entry, and a job that will run the session. */
  QUEUED,
  /** A worker drives the session. */
  RUNNING,
  /** Waits for foreground tasks, for its model or for a time, without a worker or a thread. */
  WAITING,
  CLOSED
}
