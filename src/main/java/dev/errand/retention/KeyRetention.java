package dev.errand.retention;

import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;
import org.jdbi.v3.core.Jdbi;

/** Deletes idempotency keys that have expired, some at a time, on every node. */
@ApplicationScoped
class KeyRetention {

  private static final int BATCH = 5_000;

  private static final String DELETE =
      """
      delete from idempotency_key
      where (tenant, route, key) in (
        select tenant, route, key from idempotency_key
        where expires_at < now() order by expires_at limit :batch for update skip locked)
      """;

  private final Jdbi jdbi;

  KeyRetention(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  @Scheduled(
      every = "10m",
      delayed = "1m",
      concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  void sweep() {
    int deleted;
    do {
      deleted =
          jdbi.withHandle(handle -> handle.createUpdate(DELETE).bind("batch", BATCH).execute());
    } while (deleted == BATCH);
  }
}
