package dev.errand.postgres;

import java.sql.SQLException;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds what the database said in whatever was thrown: a commit that fails, or what is written just
 * before it, reaches the caller only as the rollback that it caused.
 */
public final class SqlErrors {

  private SqlErrors() {}

  /** The first one among a fault, its causes and what they suppressed. */
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
