package dev.errand.hook;

import dev.errand.node.Upkeep;
import dev.errand.outbox.OutgoingRows;
import jakarta.inject.Singleton;
import java.time.Duration;

/** Deletes what is left of hooks that were removed from the configuration. */
@Singleton
class HookRetention implements Upkeep {

  /** Longer than all attempts take. */
  private static final Duration OLD = Duration.ofHours(36);

  private static final int BATCH = 1_000;

  private final OutgoingRows rows;
  private final HookMetrics metrics;

  HookRetention(OutgoingRows rows, HookMetrics metrics) {
    this.rows = rows;
    this.metrics = metrics;
  }

  @Override
  public String name() {
    return "delete_old_hook_events";
  }

  @Override
  public boolean runSome() {
    var deleted = rows.deleteHookEvents(OLD, BATCH);
    deleted.forEach(old -> metrics.dropped(old.hook(), old.event()));
    return deleted.size() == BATCH;
  }
}
