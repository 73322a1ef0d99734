package dev.errand.conversation;

/** The effect of a tool call when it is repeated after a crash. */
public enum ToolEffect implements Word {
  /** The call changes nothing and is run again. */
  PURE,
  /**
   * The tool detects whether the call was done: it is redone, recognised as done, or a conflict.
   */
  CHECKED,
  /** The call has effects that cannot be checked; it is never repeated. */
  SIDE_EFFECT;

  /** Returns whether a call whose outcome is unknown may be made again. */
  public boolean isRepeatable() {
    return this != SIDE_EFFECT;
  }
}
