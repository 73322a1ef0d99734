package dev.errand.postgres;

import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Points at the start of the embedded database and on the path of one task, each between a commit
 * and the step that follows it, at which a test lets the process die. Off unless the system
 * property {@code errand.failpoint} names one when the process starts. With {@code
 * errand.failpoint.armed-by} it stays off until that file exists.
 */
public enum Failpoint {
  /** The embedded database has a password file; its role does not have the password yet. */
  PASSWORD_STORED,
  /** The embedded database belongs to the role of the service; the rules still trust others. */
  ROLES_CHANGED,
  /** The rules of the embedded database are written; its server is not started yet. */
  ACCESS_CLOSED,
  /** A submission by a client is committed; the client has no answer yet. */
  SUBMITTED,
  /** A delegation by an agent is committed; its tool call has no result yet. */
  DELEGATED,
  /** A session is claimed, its task has started, and its first turn boundary is committed. */
  CLAIMED,
  /** A model has answered; the answer is not saved yet. */
  MODEL_ANSWERED,
  /** A turn of the model is saved, and the run continues. */
  TURN_SAVED,
  /** Tool calls are recorded as started. */
  TOOLS_STARTED,
  /** A tool has returned; its result is not saved yet. */
  TOOL_CALLED,
  /** The result of a tool is saved. */
  TOOL_FINISHED,
  /** Which old results are left out of what is sent is stored. */
  RESULTS_STUBBED,
  /** The model has summarised older messages; the summary is not saved yet. */
  SUMMARY_WRITTEN,
  /** A summary is saved. */
  SUMMARISED,
  /**
   * The end of a run is committed, with its last answer, the end of its task and the outbox row.
   */
  RUN_ENDED,
  /** An outbox row is delivered. */
  RELAYED,
  /** The copy of a workspace is recorded; the task that works in it is not submitted yet. */
  WORKTREE_RECORDED,
  /** The copy of a workspace is checked out; its child has not run yet. */
  WORKTREE_CHECKED_OUT,
  /** The change of a task is computed; its end is not committed yet. */
  CHANGE_COMPUTED,
  /** The folder of a copy is deleted; its row is not. */
  WORKTREE_DELETED,
  /** What a patch changes is recorded; no file is changed yet. */
  PATCH_PLANNED,
  /** A file of a patch is changed; the others may not be. */
  FILE_PATCHED;

  private static final int KILLED = 137;
  private static final String CHOSEN = System.getProperty("errand.failpoint", "");
  private static final @Nullable String ARMED_BY = System.getProperty("errand.failpoint.armed-by");

  /** Ends the process if a test chose this point. */
  public void pass() {
    if (name().equals(CHOSEN) && isArmed()) {
      Runtime.getRuntime().halt(KILLED);
    }
  }

  private static boolean isArmed() {
    return ARMED_BY == null || Files.exists(Path.of(ARMED_BY));
  }
}
