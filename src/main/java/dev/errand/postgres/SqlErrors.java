package dev.errand.postgres;

import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;
import org.jdbi.v3.core.ConnectionException;
import org.jspecify.annotations.Nullable;

/**
 * Finds the error of the database in an exception, and says whether it is transient. The caller of
 * a failed commit, or of a write right before the commit, sees only the rollback that the error
 * caused.
 */
public final class SqlErrors {

  private SqlErrors() {}

  /**
   * Returns the first SQL exception among an exception, its causes and their suppressed exceptions.
   */
  public static Optional<SQLException> in(@Nullable Throwable fault) {
    if (fault == null) {
      return Optional.empty();
    }
    if (fault instanceof SQLException found) {
      return Optional.of(found);
    }
    return Stream.concat(Stream.ofNullable(fault.getCause()), Arrays.stream(fault.getSuppressed()))
        .flatMap(next -> in(next).stream())
        .findFirst();
  }

  /**
   * Returns whether a later attempt may not meet the error: no connection, no resources, shutdown
   * or statement time-out (SQLSTATE classes 08, 53, 57), a server that is or was a standby, a
   * transaction that the server ended because it heard nothing of it or because it took too long, a
   * lock time-out, a deadlock, a serialization failure, or a prepared statement that does not fit
   * the schema any more, because a newer version has migrated it; the driver prepares it again.
   * Errors of the connection pool have no SQLSTATE.
   */
  public static boolean isTransient(Throwable fault) {
    return in(fault).filter(sql -> isTransientState(sql.getSQLState())).isPresent()
        || isConnectionError(fault);
  }

  /** Returns a transient error of work that did not get to the database, because of other work. */
  public static RuntimeException busy(String message) {
    return new IllegalStateException(message, new SQLTransientException(message));
  }

  private static boolean isConnectionError(@Nullable Throwable fault) {
    return fault instanceof ConnectionException
        || (fault != null && isConnectionError(fault.getCause()));
  }

  private static boolean isTransientState(@Nullable String state) {
    return state == null
        || state.startsWith("08")
        || state.startsWith("53")
        || state.startsWith("57")
        || state.equals("25006")
        || state.equals("25P03")
        || state.equals("25P04")
        || state.equals("55P03")
        || state.equals("40P01")
        || state.equals("40001")
        || state.equals("0A000")
        || state.equals("26000");
  }
}
