package dev.errand.conversation;

import com.fasterxml.jackson.annotation.JsonProperty;

/** Who speaks in a message. */
public enum Role {
  /**
   * The service itself: something a reader of the transcript should know; never sent to a model.
   */
  @JsonProperty("system")
  SYSTEM,
  @JsonProperty("user")
  USER,
  @JsonProperty("assistant")
  ASSISTANT,
  @JsonProperty("tool")
  TOOL
}
