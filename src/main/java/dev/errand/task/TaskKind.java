package dev.errand.task;

import java.util.Locale;

/** The tool that made a task, which determines the form of its result. */
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
