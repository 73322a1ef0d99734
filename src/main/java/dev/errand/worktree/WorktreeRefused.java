package dev.errand.worktree;

/** A copy of a workspace is not possible; the message is the end of a sentence about it. */
public final class WorktreeRefused extends RuntimeException {

  private static final long serialVersionUID = 1;

  WorktreeRefused(String why) {
    super(why);
  }

  /** The reason, for the caller. */
  public String why() {
    return String.valueOf(getMessage());
  }
}
