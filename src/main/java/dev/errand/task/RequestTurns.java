package dev.errand.task;

import dev.errand.postgres.ConnectionShare;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.function.Supplier;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * Limits how many requests that submit tasks, send messages or open sessions use the database at
 * once. The others queue in order of arrival. They have at most half of its connections, so that
 * many clients at once do not delay the runs of what was accepted before.
 */
@Singleton
public class RequestTurns {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final ConnectionShare share;

  @Inject
  RequestTurns(@ConfigProperty(name = "quarkus.datasource.jdbc.max-size") int connections) {
    this(connections / 2, PATIENCE);
  }

  RequestTurns(int atOnce, Duration patience) {
    this.share = new ConnectionShare(atOnce, patience);
  }

  /**
   * Does the work of a request when it is its turn. The work does not take a turn itself.
   *
   * @throws NoTurnException the turn did not come within 10 s; nothing was done
   */
  public <T> T take(Supplier<T> work) {
    return share.take(work, NoTurnException::new);
  }

  /** The turn of a request did not come in time; nothing was done. */
  public static final class NoTurnException extends RuntimeException {

    private static final long serialVersionUID = 1;

    NoTurnException() {
      super("the service is busy with other requests");
    }
  }
}
