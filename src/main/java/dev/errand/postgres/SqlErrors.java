package dev.errand.postgres;

import java.sql.SQLException;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the error of the database in an exception. The caller of a failed commit, or of a write
 * right before the commit, sees only the rollback that the error caused.
 */
public final class SqlErrors {

  private SqlErrors() {}

  /** The first SQL exception among an exception, its causes and their suppressed exceptions. */
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
}
