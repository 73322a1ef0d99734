package dev.errand.session;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** Where a session's loop runs. */
public enum SessionKind {
  /** In this service. */
  HOSTED,
  /** Elsewhere; here the session only owns tasks and reads their notices. */
  EXTERNAL;

  /** The word in the database and in JSON. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static SessionKind of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
