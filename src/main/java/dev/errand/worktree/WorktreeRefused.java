package dev.errand.worktree;

/** A copy of a workspace is not possible; the message is the end of a sentence about it. */
public final class WorktreeRefused extends RuntimeException {

  private static final long serialVersionUID = 1;

  WorktreeRefused(String why) {
    super(why);
  }

  /** Returns why it failed, as a text for the agent or the client. */
  public String why() {
    return String.valueOf(getMessage());
  }
}
