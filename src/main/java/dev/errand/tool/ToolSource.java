package dev.errand.tool;

import java.util.List;
import java.util.Optional;

/**
 * Provides tools that may change while the service runs. The {@link ToolBox} collects the sources.
 */
public interface ToolSource {

  /**
   * Returns the current tools. Called on every look-up: returns at once, and returns the same list
   * until something changes.
   */
  List<Tool> tools();

  /** Returns whether this agent has tools that no other agent has. */
  boolean hasOwn(String agent);

  /**
   * Prepares the tools that only this agent has: starts what is not started, and waits a limited
   * time until it is ready or has failed. The calling thread may be interrupted.
   */
  void prepare(String agent);

  /**
   * Explains to the model, in one sentence, why a tool of this source and agent is not available at
   * present; empty if the name does not belong to this source.
   */
  Optional<String> whyAbsent(String name, String agent);
}
