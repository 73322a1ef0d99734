package dev.errand.tool;

/** Tells the threads of one search that nobody waits for it any more; an interrupt does so, too. */
final class Halt {

  private volatile boolean asked;

  void ask() {
    asked = true;
  }

  boolean isAsked() {
    return asked || Thread.currentThread().isInterrupted();
  }

  void check() {
    if (isAsked()) {
      throw interrupted();
    }
  }

  static ToolFailure interrupted() {
    return new ToolFailure("The call was interrupted.");
  }
}
