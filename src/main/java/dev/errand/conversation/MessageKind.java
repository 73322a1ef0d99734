package dev.errand.conversation;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * What a message is: said in the conversation, a notice of a delegated task's end, or a command's
 * echo.
 */
public enum MessageKind {
  @JsonProperty("message")
  MESSAGE,
  @JsonProperty("notice")
  NOTICE,
  @JsonProperty("command")
  COMMAND
}
