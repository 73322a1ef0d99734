package dev.errand.postgres;

import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Places on the path of one task, each between a commit and the step that follows it, at which a
 * test lets the process die. Off unless the system property {@code errand.failpoint} names one when
 * the process starts. With {@code errand.failpoint.armed-by} it stays off until that file exists.
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
  private static final @Nullable String ARMED_BY = System.getProperty("errand.failpoint.armed-by");

  /** Does nothing, except in a test that chose this place. */
  public void pass() {
    if (name().equals(CHOSEN) && isArmed()) {
      Runtime.getRuntime().halt(KILLED);
    }
  }

  private static boolean isArmed() {
    return ARMED_BY == null || Files.exists(Path.of(ARMED_BY));
  }
}
