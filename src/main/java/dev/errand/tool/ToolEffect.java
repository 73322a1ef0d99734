package dev.errand.tool;

import com.fasterxml.jackson.annotation.JsonProperty;

/** What repeating a tool call after a crash would mean. */
public enum ToolEffect {
  /** Changes nothing: is simply run again. */
  @JsonProperty("pure")
  PURE,
  /** Can tell whether it was already done: redone, recognised as done, or a conflict. */
  @JsonProperty("checked")
  CHECKED,
  /** Acts on the world: never repeated by us. */
  @JsonProperty("side_effect")
  SIDE_EFFECT
}
