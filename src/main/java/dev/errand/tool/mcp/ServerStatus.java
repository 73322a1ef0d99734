package dev.errand.tool.mcp;

/**
 * The status of a server, for operators.
 *
 * @param tools how many tools it listed last
 * @param problem why it is down; empty if it is not
 */
public record ServerStatus(String name, State state, int tools, String problem) {

  /** Whether the server is available. */
  public enum State {
    /** No agent has needed it yet. */
    IDLE,
    STARTING,
    RUNNING,
    DOWN
  }
}
