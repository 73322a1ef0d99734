package dev.errand.node;

/** The subject of a hint. */
public enum Topic {
  /** A session was queued: workers may fetch a job. */
  WORK(true),
  /** A result for a session was written: the relay may deliver it. */
  OUTBOX(false),
  /** A post to a callback or an event for a hook was written: the relay may send it. */
  OUTGOING(false),
  /** A session was taken from its run: each node checks whether the run was its own. */
  RUNS(true),
  /** A task ended or a session became idle: callers that wait for one check again. */
  ENDS(true),
  /** A task or a run ended, and tasks wait for a child, a limit or a slot. */
  WAITS(false),
  /** The task of a child ended although tasks that it delegated may still run. */
  ORPHANS(false),
  /** Events were recorded: open streams read on. */
  EVENTS(true),
  /** A tenant changed: each node reads the tenants again. */
  TENANTS(true),
  /** A pause was made or ended. */
  PAUSES(true);

  private final boolean everywhere;

  Topic(boolean everywhere) {
    this.everywhere = everywhere;
  }

  /**
   * Returns whether the hint goes to the other nodes, too. It does not when this node does the work
   * itself: two nodes would look for the same rows. If it dies, the others find the work by
   * polling.
   */
  boolean isForAllNodes() {
    return everywhere;
  }
}
