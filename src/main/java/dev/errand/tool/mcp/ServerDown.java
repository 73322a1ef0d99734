package dev.errand.tool.mcp;

import java.util.List;

/** A server is not available. */
final class ServerDown extends Exception {

  private static final long serialVersionUID = 1;

  private final String reason;
  private final transient List<String> stderrTail;

  /**
   * @param reason part of a sentence for models, without commands, addresses and headers
   * @param stderrTail the last lines of standard error, for operators only
   */
  ServerDown(String reason, List<String> stderrTail) {
    super(reason);
    this.reason = reason;
    this.stderrTail = List.copyOf(stderrTail);
  }

  String reason() {
    return reason;
  }

  List<String> stderrTail() {
    return stderrTail;
  }
}
