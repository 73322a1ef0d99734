package dev.errand.tool;

/** The outcome of a tool call. */
public sealed interface ToolOutcome {

  /** The call has ended; the model reads {@code text}. */
  record Done(String text, boolean isError) implements ToolOutcome {}

  /**
   * The result arrives later in the inbox of the session. The run ends and occupies no thread until
   * then.
   */
  record Deferred() implements ToolOutcome {}

  static Done ok(String text) {
    return new Done(text, false);
  }

  static Done error(String text) {
    return new Done(text, true);
  }
}
