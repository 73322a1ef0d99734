package dev.errand.delegate.command;

import dev.errand.task.SubmitResult;

/** The outcome of a command. */
public sealed interface CommandOutcome {

  /** The command was done, with this output. */
  record Output(String text) implements CommandOutcome {}

  /** A skill was loaded, with this content. */
  record Loaded(String text) implements CommandOutcome {}

  /** The command is invalid; the text says what is valid. Nothing was done. */
  record Refused(String text) implements CommandOutcome {}

  /** The command delegates. */
  record Submitted(SubmitResult submission) implements CommandOutcome {}
}
