package dev.errand.api;

import dev.errand.api.http.Refusal;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.core.Response.Status;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * Lets few requests submit tasks at the same time, in the order of their arrival. They use at most
 * half of the connections to the database, so that many clients at once do not delay the runs of
 * tasks that were accepted before.
 */
@ApplicationScoped
class SubmissionTurns {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Semaphore free;
  private final Duration patience;

  @Inject
  SubmissionTurns(@ConfigProperty(name = "quarkus.datasource.jdbc.max-size") int connections) {
    this(connections / 2, PATIENCE);
  }

  SubmissionTurns(int atOnce, Duration patience) {
    this.free = new Semaphore(atOnce, true);
    this.patience = patience;
  }

  /**
   * Submits when it is this request's turn.
   *
   * @throws Refusal the turn did not come within 10 s; nothing was submitted
   */
  <T> T take(Supplier<T> submission) {
    if (!isTurn()) {
      throw new Refusal(
          Status.SERVICE_UNAVAILABLE,
          "The service is busy with other submissions; nothing was accepted. Try again later.",
          List.of());
    }
    try {
      return submission.get();
    } finally {
      free.release();
    }
  }

  private boolean isTurn() {
    try {
      return free.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
