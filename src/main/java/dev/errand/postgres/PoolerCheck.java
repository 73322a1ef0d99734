package dev.errand.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * Recognises a pooler that assigns a server connection to each transaction, as PgBouncer does in
 * transaction mode. Behind it a session setting, a listener or an advisory lock of one client
 * belongs to others a moment later, and hints, time-outs and the locks of nodes are lost.
 */
final class PoolerCheck {

  /** A pool gives the server connections that are free to these, one after the other. */
  private static final int FURTHER_CLIENTS = 4;

  private static final Duration SILENCE = Duration.ofSeconds(2);

  private final DatabaseAddress address;
  private final DatabaseFault fault;

  PoolerCheck(DatabaseAddress address, DatabaseFault fault) {
    this.address = address;
    this.fault = fault;
  }

  /**
   * Returns why the service cannot use the database at this address. Costs one query when the
   * client is connected to PostgreSQL itself, and some connections behind a pooler.
   *
   * @param connection in autocommit mode, with nothing open
   */
  Optional<String> refusal(Connection connection) throws SQLException {
    var announced = connection.unwrap(PGConnection.class).getBackendPID();
    return announced == Long.parseLong(process(connection)) || isOwn(connection)
        ? Optional.empty()
        : Optional.of(fault.pooler("it loses the settings of a session after each transaction"));
  }

  /** Returns whether the server process stays this client's while others are in a transaction. */
  private boolean isOwn(Connection connection) throws SQLException {
    var mark = UUID.randomUUID().toString();
    var before = process(connection);
    try (var set = connection.prepareStatement("select set_config('errand.mark', ?, false)")) {
      set.setString(1, mark);
      set.execute();
    }
    var others = new ArrayList<Connection>();
    try {
      for (int other = 0; other < FURTHER_CLIENTS; other++) {
        others.add(address.connect(SILENCE, "begin"));
        if (process(others.getLast()).equals(before)) {
          return false;
        }
      }
      return process(connection).equals(before)
          && mark.equals(one(connection, "select current_setting('errand.mark', true)"));
    } finally {
      close(others);
    }
  }

  private static String process(Connection connection) throws SQLException {
    return String.valueOf(one(connection, "select pg_backend_pid()::text"));
  }

  private static @Nullable String one(Connection connection, String sql) throws SQLException {
    try (var query = connection.createStatement();
        var rows = query.executeQuery(sql)) {
      return rows.next() ? rows.getString(1) : null;
    }
  }

  private static void close(List<Connection> connections) throws SQLException {
    for (var connection : connections) {
      connection.close();
    }
  }
}
