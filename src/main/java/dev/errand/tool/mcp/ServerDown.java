package dev.errand.tool.mcp;

import java.util.List;

/** A server does not serve. */
final class ServerDown extends Exception {

  private static final long serialVersionUID = 1;

  private final String reason;
  private final transient List<String> lastWords;

  /**
   * @param reason part of a sentence for models: says nothing of commands, addresses or headers
   * @param lastWords what only those who run the service should read
   */
  ServerDown(String reason, List<String> lastWords) {
    super(reason);
    this.reason = reason;
    this.lastWords = List.copyOf(lastWords);
  }

  String reason() {
    return reason;
  }

  List<String> lastWords() {
    return lastWords;
  }
}
