package dev.errand.delivery.webhook;

import java.time.Duration;

/** How an attempt to post ended. */
sealed interface PostOutcome {

  /** The receiver has it. */
  record Accepted() implements PostOutcome {}

  /** The receiver wants no more, ever (410). */
  record Gone() implements PostOutcome {}

  /**
   * @param error what operators and owners of sessions may know
   * @param notBefore how long the receiver asks to be left alone; zero when it does not
   */
  record Failed(String error, Duration notBefore) implements PostOutcome {

    static Failed of(String error) {
      return new Failed(error, Duration.ZERO);
    }
  }
}
