package dev.errand.task;

import java.util.Locale;

/** Which tool made a task, and so how its result comes back (C3). */
public enum TaskKind {
  TASK,
  SPAWN;

  /** The word in the database; also the tool's name. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static TaskKind of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
