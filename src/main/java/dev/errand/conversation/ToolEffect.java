package dev.errand.conversation;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** What repeating a tool call after a crash means. */
public enum ToolEffect {
  /** The call changes nothing and is run again. */
  PURE,
  /**
   * The tool detects whether the call was done: it is redone, recognised as done, or a conflict.
   */
  CHECKED,
  /** The call has effects that cannot be checked; it is never repeated. */
  SIDE_EFFECT;

  /** The word in the database and in JSON. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether a call whose outcome is unknown may be made again. */
  public boolean isRepeatable() {
    return this != SIDE_EFFECT;
  }

  public static ToolEffect of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
