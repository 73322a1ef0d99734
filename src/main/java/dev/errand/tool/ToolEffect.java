package dev.errand.tool;

import com.fasterxml.jackson.annotation.JsonProperty;

/** The effect of repeating a tool call after a crash. */
public enum ToolEffect {
  /** Changes nothing: the call is repeated. */
  @JsonProperty("pure")
  PURE,
  /** Detects whether it was already done: it is repeated, recognized as done, or a conflict. */
  @JsonProperty("checked")
  CHECKED,
  /** Changes something outside: the call is never repeated automatically. */
  @JsonProperty("side_effect")
  SIDE_EFFECT
}
