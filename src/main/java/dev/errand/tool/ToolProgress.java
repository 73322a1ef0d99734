package dev.errand.tool;

/** Receives the output of a call while it runs. */
@FunctionalInterface
public interface ToolProgress {

  /** Discards the output. */
  ToolProgress NONE = _ -> {};

  /**
   * Receives a piece of the output, in order, a few times per second at most. Pieces may be
   * missing, and a piece is empty if there is no new output. Runs on the thread of the call: must
   * return quickly and must not throw.
   */
  void said(String text);
}
