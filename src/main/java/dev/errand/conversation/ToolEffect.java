package dev.errand.conversation;

/** What repeating a tool call after a crash means. */
public enum ToolEffect implements Word {
  /** The call changes nothing and is run again. */
  PURE,
  /**
   * The tool detects whether the call was done: it is redone, recognised as done, or a conflict.
   */
  CHECKED,
  /** The call has effects that cannot be checked; it is never repeated. */
  SIDE_EFFECT;

  /** Whether a call whose outcome is unknown may be made again. */
  public boolean isRepeatable() {
    return this != SIDE_EFFECT;
  }
}
