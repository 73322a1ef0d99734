package dev.errand.hook;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** The events that hooks receive. */
public enum HookEvent {
  TASK_CREATED,
  TASK_STARTED,
  TASK_ENDED,
  /** A tool call is about to start; a hook may deny it. */
  TOOL_BEFORE,
  TOOL_AFTER,
  /** The run of a root session failed for good. */
  SESSION_FAILED;

  /** Returns the word in the configuration and in JSON, {@code task.created}. */
  String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '.');
  }

  static Optional<HookEvent> of(String word) {
    return Arrays.stream(values()).filter(event -> event.word().equals(word)).findFirst();
  }

  /** Lists all words for use in error messages. */
  static String words() {
    return Arrays.stream(values()).map(HookEvent::word).collect(Collectors.joining(", "));
  }

  boolean isOfTool() {
    return this == TOOL_BEFORE || this == TOOL_AFTER;
  }
}
