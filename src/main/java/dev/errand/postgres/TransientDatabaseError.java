package dev.errand.postgres;

import org.jdbi.v3.core.ConnectionException;
import org.jspecify.annotations.Nullable;

/** Tells faults of the moment – busy, away, restarting – from those that will be the same again. */
public final class TransientDatabaseError {

  private TransientDatabaseError() {}

  /**
   * Whether the database was not there or too busy: no connection, no resources, shutting down or
   * statement timed out (SQLSTATE classes 08, 53, 57), a lock not had in time, a deadlock, a
   * conflict of transactions.
   */
  public static boolean is(Throwable fault) {
    return SqlErrors.in(fault).filter(sql -> isPassing(sql.getSQLState())).isPresent()
        || isUnconnected(fault);
  }

  /** The pool's own faults have no SQLSTATE. */
  private static boolean isUnconnected(@Nullable Throwable fault) {
    return fault instanceof ConnectionException
        || (fault != null && isUnconnected(fault.getCause()));
  }

  private static boolean isPassing(@Nullable String state) {
    return state != null
        && (state.startsWith("08")
            || state.startsWith("53")
            || state.startsWith("57")
            || state.equals("55P03")
            || state.equals("40P01")
            || state.equals("40001"));
  }
}
