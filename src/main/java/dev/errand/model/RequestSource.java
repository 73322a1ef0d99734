package dev.errand.model;

/**
 * Makes a request when it is sent, and again when the call is repeated, so that no conversation is
 * in memory while its model answers.
 */
public interface RequestSource {

  /**
   * Returns the request, the same each time. May read it from the database.
   *
   * @throws RuntimeException it cannot be made again; the call ends with this
   */
  ModelRequest make();

  /** Returns an estimate of its size in tokens; 0 when there is none. */
  long tokens();

  /** Returns who hears the answer. Asked each time an answer begins; usually nobody does. */
  default AnswerListener listener() {
    return AnswerListener.NONE;
  }

  /**
   * Releases the request that was sent, which is not needed until it is made again. Any thread;
   * idempotent.
   */
  void sent();
}
