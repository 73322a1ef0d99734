package dev.errand.tool.mcp;

import java.util.List;

/**
 * The status of a server, for operators.
 *
 * @param tools how many tools it listed last
 * @param problem why it is down; empty if it is not
 * @param stderrTail the last lines of its standard error, if it is down
 */
public record ServerStatus(
    String name, State state, int tools, String problem, List<String> stderrTail) {

  public ServerStatus {
    stderrTail = List.copyOf(stderrTail);
  }

  /** Whether the server is available. */
  public enum State {
    /** No agent has needed it yet. */
    IDLE,
    STARTING,
    RUNNING,
    DOWN
  }
}
