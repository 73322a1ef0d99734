package dev.errand.api;

import dev.errand.api.http.Refusal;
import dev.errand.postgres.ConnectionShare;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.Response.Status;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * Limits the requests that submit tasks, send messages or open sessions and use the database at a
 * time, in the order of their arrival. They have at most half of its connections, so that many
 * clients at once do not delay the runs of what was accepted before.
 */
@Singleton
class RequestTurns {

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
   * @throws Refusal the turn did not come within 10 s; nothing was done
   */
  <T> T take(Supplier<T> work) {
    return share.take(
        work,
        () ->
            new Refusal(
                Status.SERVICE_UNAVAILABLE,
                "The service is busy with other requests; nothing was accepted. Try again later.",
                List.of()));
  }
}
