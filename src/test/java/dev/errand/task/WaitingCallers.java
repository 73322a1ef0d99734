package dev.errand.task;

/** The callers that wait for the ends of tasks, for tests in other packages. */
public final class WaitingCallers {

  private WaitingCallers() {}

  /** How many there are on this node. */
  public static int number(TaskWaiters waiters) {
    return waiters.waiting();
  }
}
