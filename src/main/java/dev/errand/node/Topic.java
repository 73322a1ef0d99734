package dev.errand.node;

/** What a hint is about. */
public enum Topic {
  /** A session was queued: workers may fetch a job. */
  WORK,
  /** An outbox row was written: the relay may replay it. */
  OUTBOX,
  /** A session was taken from its run: nodes look whether it was theirs. */
  RUNS,
  /** A task ended or a session went idle: those who wait for one look again. */
  ENDS,
  /** A child's task ended although tasks of its own may still run. */
  ORPHANS,
  /** Events were recorded: those who watch read on. */
  EVENTS
}
