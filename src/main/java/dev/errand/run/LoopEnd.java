package dev.errand.run;

/** Why the loop stopped. */
public sealed interface LoopEnd {

  /**
   * The agent has said its last word.
   *
   * @param partial the turn limit made it stop (R4)
   */
  record Finished(String text, boolean partial) implements LoopEnd {}

  /** Foreground tasks have to end first. */
  record Waiting() implements LoopEnd {}

  /** Another worker may go on from the last saved turn. */
  record Interrupted() implements LoopEnd {}

  /**
   * It cannot go on.
   *
   * @param code a word for programs, {@code model_unauthorized}
   * @param message a sentence for people
   * @param mayPass whether a later attempt may succeed
   */
  record Failed(String code, String message, boolean mayPass) implements LoopEnd {

    /** A failure that stays. */
    public Failed(String code, String message) {
      this(code, message, false);
    }
  }
}
