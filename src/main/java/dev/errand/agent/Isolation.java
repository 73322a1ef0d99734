package dev.errand.agent;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Where a child works. */
public enum Isolation {
  /** In the workspace of its parent. */
  SHARED,
  /** In a copy of its own; its changes come back as a patch. */
  WORKTREE;

  /** The words of all values. */
  public static final List<String> WORDS = Arrays.stream(values()).map(Isolation::word).toList();

  /** The word in the database, in JSON and in agent files. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static Optional<Isolation> of(String word) {
    return Arrays.stream(values()).filter(value -> value.word().equals(word)).findFirst();
  }
}
