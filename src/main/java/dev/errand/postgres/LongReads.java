package dev.errand.postgres;

import io.quarkus.narayana.jta.QuarkusTransaction;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** Queries that read whole tables, and therefore may take longer than other statements. */
@Singleton
public class LongReads {

  private static final String STATEMENT_LIMIT = "set local statement_timeout = '60s'";

  /** Longer than the statement time-out, as it is for other statements. */
  private static final int SOCKET_MILLIS = 65_000;

  private static final int TRANSACTION_SECONDS = 75;

  private final Jdbi jdbi;

  LongReads(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * Runs a query that may take up to a minute, in a transaction of its own. Afterwards its
   * connection has the limits of the pool again.
   */
  public <T> T read(Function<Handle, T> query) {
    return QuarkusTransaction.requiringNew()
        .timeout(TRANSACTION_SECONDS)
        .call(() -> jdbi.withHandle(handle -> read(handle, query)));
  }

  private static <T> T read(Handle handle, Function<Handle, T> query) throws SQLException {
    var connection = handle.getConnection();
    var millis = connection.getNetworkTimeout();
    connection.setNetworkTimeout(Runnable::run, SOCKET_MILLIS);
    try {
      handle.execute(STATEMENT_LIMIT);
      return query.apply(handle);
    } finally {
      if (!connection.isClosed()) {
        connection.setNetworkTimeout(Runnable::run, millis);
      }
    }
  }
}
