package dev.errand.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.function.Supplier;

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

  /** Returns the listener of the answer. Called each time an answer begins. */
  default AnswerListener listener() {
    return AnswerListener.NONE;
  }

  /**
   * Shows the body with which the request is about to be sent, in the format of the provider.
   * Called again when the call is repeated, also by another thread.
   */
  default void isSentAs(Supplier<JsonNode> body) {}

  /**
   * Releases the request that was sent, which is not needed until it is made again. Any thread;
   * idempotent.
   */
  void sent();
}
