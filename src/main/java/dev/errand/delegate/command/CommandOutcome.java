package dev.errand.delegate.command;

import dev.errand.task.SubmitResult;

/** What became of a command. */
public sealed interface CommandOutcome {

  /** It is done; this is what it prints. */
  record Output(String text) implements CommandOutcome {}

  /** A skill was loaded; this is what it says. */
  record Loaded(String text) implements CommandOutcome {}

  /** It is wrong; says what would be right. Nothing was done. */
  record Refused(String text) implements CommandOutcome {}

  /** It delegates. */
  record Submitted(SubmitResult submission) implements CommandOutcome {}
}
