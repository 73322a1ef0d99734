package dev.errand.tool.search;

import dev.errand.tool.ToolFailure;

/** Stops the threads of one search. An interrupt of such a thread has the same effect. */
final class CancelFlag {

  private volatile boolean cancelled;

  void cancel() {
    cancelled = true;
  }

  boolean isCancelled() {
    return cancelled || Thread.currentThread().isInterrupted();
  }

  void throwIfCancelled() {
    if (isCancelled()) {
      throw ToolFailure.interrupted();
    }
  }
}
