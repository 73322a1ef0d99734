package dev.errand.retention;

import dev.errand.node.Upkeep;
import dev.errand.task.IdempotencyStore;
import jakarta.inject.Singleton;

/** Deletes expired idempotency keys in batches. */
@Singleton
class KeyRetention implements Upkeep {

  private static final int BATCH = 5_000;

  private final IdempotencyStore keys;

  KeyRetention(IdempotencyStore keys) {
    this.keys = keys;
  }

  @Override
  public String name() {
    return "delete_expired_keys";
  }

  @Override
  public boolean runSome() {
    return keys.deleteExpired(BATCH) == BATCH;
  }
}
