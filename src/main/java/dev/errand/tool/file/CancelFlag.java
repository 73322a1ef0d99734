package dev.errand.tool.file;

import dev.errand.tool.ToolFailure;

/** Tells the threads of one search that nobody waits for it any more; an interrupt does so, too. */
public final class CancelFlag {

  private volatile boolean asked;

  public void ask() {
    asked = true;
  }

  public boolean isAsked() {
    return asked || Thread.currentThread().isInterrupted();
  }

  public void check() {
    if (isAsked()) {
      throw interrupted();
    }
  }

  public static ToolFailure interrupted() {
    return new ToolFailure("The call was interrupted.");
  }
}
