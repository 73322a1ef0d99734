package dev.errand.postgres;

/**
 * Places on the way of one task, each behind a commit and before what follows it, at which a test
 * has the process die at once. Off unless the system property {@code errand.failpoint} names one:
 * nobody can switch it on from outside, and a running process cannot be given one.
 */
public enum Failpoint {
  /** A submission from outside is committed, its caller not answered yet. */
  SUBMITTED,
  /** A delegation by an agent is committed, its tool call not answered yet. */
  DELEGATED,
  /** A session is claimed. */
  CLAIMED,
  /** A turn of the model is saved. */
  TURN_SAVED,
  /** Tool calls are written down as begun. */
  TOOLS_STARTED,
  /** A tool has done its work; its result is not kept yet. */
  TOOL_CALLED,
  /** A tool's result is kept. */
  TOOL_FINISHED,
  /** A run's end – its task's end and outbox row with it – is committed. */
  RUN_ENDED,
  /** An outbox row is delivered. */
  RELAYED;

  private static final int KILLED = 137;
  private static final String CHOSEN = System.getProperty("errand.failpoint", "");

  /** Does nothing, except in a test that chose this place. */
  public void pass() {
    if (name().equals(CHOSEN)) {
      Runtime.getRuntime().halt(KILLED);
    }
  }
}
