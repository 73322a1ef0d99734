package dev.errand.session;

import java.util.Locale;

/** Who runs a session's loop. */
public enum SessionKind {
  /** We do. */
  HOSTED,
  /** Somebody else does; here it only owns tasks and reads their notices. */
  EXTERNAL;

  /** The word in the database and in JSON. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static SessionKind of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
