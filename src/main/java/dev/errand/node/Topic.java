package dev.errand.node;

/** What a hint is about. */
public enum Topic {
  /** A session was queued: workers may fetch a job. */
  WORK,
  /** An outbox row was written: the relay may deliver it. */
  OUTBOX,
  /** A session was taken from its run: each node checks whether the run was its own. */
  RUNS,
  /** A task ended or a session became idle: callers that wait for one check again. */
  ENDS,
  /** The task of a child ended although tasks that it delegated may still run. */
  ORPHANS,
  /** Events were recorded: open streams read on. */
  EVENTS,
  /** Events for hooks were written: the relay may send them. */
  HOOKS
}
