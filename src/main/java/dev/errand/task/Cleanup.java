package dev.errand.task;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** What happens to a child's transcript after its result was read. */
public enum Cleanup {
  KEEP,
  DELETE;

  /** The word in the database and in JSON. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Cleanup of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
