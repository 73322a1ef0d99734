package dev.errand.conversation;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.stream.Stream;

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
  SUMMARY;

  /** The kind with this word. A kind that only a newer version knows counts as a notice. */
  public static MessageKind of(String word) {
    return Stream.of(values())
        .filter(kind -> kind.name().equalsIgnoreCase(word))
        .findFirst()
        .orElse(NOTICE);
  }
}
