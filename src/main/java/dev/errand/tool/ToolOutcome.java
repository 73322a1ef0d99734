package dev.errand.tool;

/** How a tool call went. */
public sealed interface ToolOutcome {

  /** It is over; {@code text} is what the model reads. */
  record Done(String text, boolean isError) implements ToolOutcome {}

  /**
   * The answer comes later, through the session's inbox; the run ends and holds no thread
   * meanwhile.
   */
  record Deferred() implements ToolOutcome {}

  static Done ok(String text) {
    return new Done(text, false);
  }

  static Done error(String text) {
    return new Done(text, true);
  }
}
