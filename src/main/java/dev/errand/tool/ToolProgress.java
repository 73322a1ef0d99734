package dev.errand.tool;

/** Hears what a call says while it runs. */
@FunctionalInterface
public interface ToolProgress {

  /** Nobody listens. */
  ToolProgress NONE = _ -> {};

  /**
   * A piece of the output, in order, a few times a second at most; pieces may be missing, and empty
   * when there is nothing new. Called on the call's own thread: must return quickly, and not throw.
   */
  void said(String text);
}
