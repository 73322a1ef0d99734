package dev.errand.conversation;

import com.fasterxml.jackson.annotation.JsonProperty;

/** The author of a message. */
public enum Role {
  /** The service itself, for readers of the transcript; never sent to a model. */
  @JsonProperty("system")
  SYSTEM,
  @JsonProperty("user")
  USER,
  @JsonProperty("assistant")
  ASSISTANT,
  @JsonProperty("tool")
  TOOL
}
