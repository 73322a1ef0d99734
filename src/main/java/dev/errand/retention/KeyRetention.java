package dev.errand.retention;

import dev.errand.task.IdempotencyStore;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;

/** Deletes expired idempotency keys in batches, on every node. */
@ApplicationScoped
class KeyRetention {

  private static final int BATCH = 5_000;

  private final IdempotencyStore keys;

  KeyRetention(IdempotencyStore keys) {
    this.keys = keys;
  }

  @Scheduled(
      every = "10m",
      delayed = "1m",
      concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  void sweep() {
    int deleted;
    do {
      deleted = keys.deleteExpired(BATCH);
    } while (deleted == BATCH);
  }
}
