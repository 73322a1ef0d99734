package dev.errand.delegate.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What a line asks for. */
sealed interface Command {

  /**
   * A delegation.
   *
   * @param fields those of the {@code task} tool, as far as the line gives them
   * @param source the session to learn from, as the line names it; null means the caller's own
   */
  record Delegate(TaskCommand command, ObjectNode fields, @Nullable String source)
      implements Command {}

  /** {@code skill:load}. */
  record Load(String key) implements Command {}

  /** Somebody asks how it is done. */
  record Help(String text) implements Command {}

  /** It asks for nothing that can be done; says what could. */
  record Wrong(String text) implements Command {}
}
