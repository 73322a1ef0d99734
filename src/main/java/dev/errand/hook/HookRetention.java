package dev.errand.hook;

import dev.errand.node.Upkeep;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;

/** Deletes what is left of hooks that were removed from the configuration. */
@Singleton
class HookRetention implements Upkeep {

  /** Longer than all attempts take. */
  private static final Duration OLD = Duration.ofHours(36);

  private static final int BATCH = 1_000;

  private final HookQueue queue;
  private final HookMetrics metrics;

  HookRetention(HookQueue queue, HookMetrics metrics) {
    this.queue = queue;
    this.metrics = metrics;
  }

  @Override
  public String name() {
    return "delete_old_hook_events";
  }

  @Override
  public void run() {
    List<HookQueue.Old> deleted;
    do {
      deleted = queue.deleteOlderThan(OLD, BATCH);
      deleted.forEach(old -> metrics.dropped(old.hook(), old.event()));
    } while (deleted.size() == BATCH);
  }
}
