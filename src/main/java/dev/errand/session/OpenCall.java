package dev.errand.session;

import dev.errand.conversation.Content;

/**
 * A tool call of the last assistant message that has no result yet.
 *
 * @param repeatable whether the tool, when the call was planned, could be called twice; the tool
 *     may be gone meanwhile
 */
public record OpenCall(CallKey key, Content.ToolCall call, State state, boolean repeatable) {

  /** How far it got. */
  public enum State {
    /** Not begun. */
    PLANNED,
    /** Begun by a worker that did not write how it went. */
    STARTED,
    /** Its answer will come through the inbox. */
    DEFERRED
  }
}
