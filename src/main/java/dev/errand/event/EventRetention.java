package dev.errand.event;

import dev.errand.node.Upkeep;
import dev.errand.postgres.RetentionConfig;
import jakarta.inject.Singleton;
import org.jdbi.v3.core.Jdbi;

/** Deletes old events in batches. */
@Singleton
class EventRetention implements Upkeep {

  private static final int BATCH = 5_000;

  private static final String DELETE =
      """
      delete from event
      where (root_id, number) in (
        select root_id, number from event
        where created_at < statement_timestamp() - :keepMs * interval '1 millisecond'
        limit :batch
        for update skip locked)
      """;

  private final Jdbi jdbi;
  private final RetentionConfig config;

  EventRetention(Jdbi jdbi, RetentionConfig config) {
    this.jdbi = jdbi;
    this.config = config;
  }

  @Override
  public String name() {
    return "delete_old_events";
  }

  /** Deletes old events. Each batch is a transaction of its own. */
  @Override
  public boolean runSome() {
    return jdbi.withHandle(handle ->
        handle
                .createUpdate(DELETE)
                .bind("keepMs", config.events().toMillis())
                .bind("batch", BATCH)
                .execute()
            == BATCH);
  }
}
