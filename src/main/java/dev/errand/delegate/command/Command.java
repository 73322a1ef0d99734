package dev.errand.delegate.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** The meaning of a command line. */
sealed interface Command {

  /**
   * A delegation.
   *
   * @param fields those of the {@code task} tool that the line gives
   * @param source the session to learn from, as the line names it; null means the caller's own
   */
  record Delegate(TaskCommand command, ObjectNode fields, @Nullable String source)
      implements Command {}

  /** {@code skill:load}. */
  record Load(String key) implements Command {}

  /** A request for help. */
  record Help(String text) implements Command {}

  /** An invalid line, with the text that says what is valid. */
  record Wrong(String text) implements Command {}
}
