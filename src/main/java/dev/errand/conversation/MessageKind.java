package dev.errand.conversation;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * The kind of a message: a normal message, a notice that a task ended, a command, or a summary of
 * older messages.
 */
public enum MessageKind {
  @JsonProperty("message")
  MESSAGE,
  @JsonProperty("notice")
  NOTICE,
  @JsonProperty("command")
  COMMAND,
  @JsonProperty("summary")
  SUMMARY
}
