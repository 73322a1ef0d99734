package dev.errand.hook;

/** What a hook answered. */
sealed interface Reply {

  /**
   * The endpoint accepted the event, or the program ended with 0.
   *
   * @param text the body of the answer, or the program's output
   */
  record Said(String text) implements Reply {}

  /** The program ended with 2. */
  record Refused(String reason) implements Reply {}

  /**
   * The hook gave no answer.
   *
   * @param why the end of a sentence that begins with the hook
   */
  record Failed(String why, boolean late) implements Reply {
    static Failed of(String why) {
      return new Failed(why, false);
    }
  }
}
