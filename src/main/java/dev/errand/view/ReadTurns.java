package dev.errand.view;

import dev.errand.postgres.ConnectionShare;
import dev.errand.postgres.SqlErrors;
import io.quarkus.narayana.jta.QuarkusTransaction;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.function.Supplier;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * Limits the reads that use the database at a time, in the order of their arrival. They have at
 * most a third of its connections, so that many slow ones do not delay runs.
 */
@Singleton
class ReadTurns {

  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final ConnectionShare share;

  @Inject
  ReadTurns(@ConfigProperty(name = "quarkus.datasource.jdbc.max-size") int connections) {
    this(connections / 3, PATIENCE);
  }

  ReadTurns(int atOnce, Duration patience) {
    this.share = new ConnectionShare(atOnce, patience);
  }

  /**
   * Reads when it is the turn; at once in a transaction, which has its connection already.
   *
   * @throws RuntimeException the turn did not come within 5 s: a transient error
   */
  <T> T take(Supplier<T> read) {
    return QuarkusTransaction.isActive()
        ? read.get()
        : share.take(read, () -> SqlErrors.busy("Other reads took too long; nothing was read"));
  }
}
