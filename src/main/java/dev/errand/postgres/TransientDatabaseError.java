package dev.errand.postgres;

import org.jdbi.v3.core.ConnectionException;
import org.jspecify.annotations.Nullable;

/** Recognises database errors that a later attempt may not meet: overload, restart, conflict. */
public final class TransientDatabaseError {

  private TransientDatabaseError() {}

  /**
   * Whether the database was unavailable or overloaded: no connection, no resources, shutdown or
   * statement time-out (SQLSTATE classes 08, 53, 57), a lock time-out, a deadlock or a
   * serialization failure.
   */
  public static boolean is(Throwable fault) {
    return SqlErrors.in(fault).filter(sql -> isTransient(sql.getSQLState())).isPresent()
        || isConnectionError(fault);
  }

  /** Errors of the connection pool have no SQLSTATE. */
  private static boolean isConnectionError(@Nullable Throwable fault) {
    return fault instanceof ConnectionException
        || (fault != null && isConnectionError(fault.getCause()));
  }

  private static boolean isTransient(@Nullable String state) {
    return state != null
        && (state.startsWith("08")
            || state.startsWith("53")
            || state.startsWith("57")
            || state.equals("55P03")
            || state.equals("40P01")
            || state.equals("40001"));
  }
}
