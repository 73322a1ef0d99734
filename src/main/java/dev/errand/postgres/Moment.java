package dev.errand.postgres;

import io.quarkus.narayana.jta.QuarkusTransaction;
import jakarta.inject.Singleton;
import java.util.function.Supplier;
import org.jdbi.v3.core.Jdbi;

/** Queries that must not see what is committed between them. */
@Singleton
public class Moment {

  private static final String ONE_SNAPSHOT = "set transaction isolation level repeatable read";

  private final Jdbi jdbi;

  Moment(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** Runs queries in a transaction of their own, all of which see the rows of the same moment. */
  public <T> T read(Supplier<T> queries) {
    return QuarkusTransaction.requiringNew()
        .call(() -> {
          jdbi.useHandle(handle -> handle.execute(ONE_SNAPSHOT));
          return queries.get();
        });
  }
}
