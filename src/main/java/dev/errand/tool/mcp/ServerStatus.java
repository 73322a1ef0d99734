package dev.errand.tool.mcp;

import java.util.List;

/**
 * How a server is, for those who run the service.
 *
 * @param tools how many it listed last
 * @param problem why it is down; empty when it is not
 * @param lastWords the last lines of its standard error, when it is down
 */
public record ServerStatus(
    String name, State state, int tools, String problem, List<String> lastWords) {

  public ServerStatus {
    lastWords = List.copyOf(lastWords);
  }

  /** Whether it serves. */
  public enum State {
    /** Nobody has needed it yet. */
    IDLE,
    STARTING,
    RUNNING,
    DOWN
  }
}
