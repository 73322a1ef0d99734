package dev.errand.delivery.webhook;

import java.time.Duration;

/** The outcome of an attempt to post. */
sealed interface PostOutcome {

  /** The receiver accepted the post. */
  record Accepted() implements PostOutcome {}

  /** The receiver wants no further posts (410). */
  record Gone() implements PostOutcome {}

  /**
   * The attempt failed.
   *
   * @param error the text for operators and owners of sessions
   * @param notBefore the wait that the receiver asks for; zero when it asks for none
   */
  record Failed(String error, Duration notBefore) implements PostOutcome {

    static Failed of(String error) {
      return new Failed(error, Duration.ZERO);
    }
  }
}
