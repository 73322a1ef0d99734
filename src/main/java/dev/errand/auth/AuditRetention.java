package dev.errand.auth;

import dev.errand.node.Upkeep;
import dev.errand.postgres.RetentionConfig;
import jakarta.inject.Singleton;
import org.jdbi.v3.core.Jdbi;

/** Deletes old rows of the audit in batches. */
@Singleton
class AuditRetention implements Upkeep {

  private static final int BATCH = 5_000;

  private static final String DELETE =
      """
      delete from audit where id in (
        select id from audit where at < statement_timestamp() - :keepMs * interval '1 millisecond'
        order by id limit :batch for update skip locked)
      """;

  private final Jdbi jdbi;
  private final RetentionConfig config;

  AuditRetention(Jdbi jdbi, RetentionConfig config) {
    this.jdbi = jdbi;
    this.config = config;
  }

  @Override
  public String name() {
    return "delete_old_audit";
  }

  /** Deletes old rows. Each batch is a transaction of its own. */
  @Override
  public boolean runSome() {
    return jdbi.withHandle(handle ->
        handle
                .createUpdate(DELETE)
                .bind("keepMs", config.audit().toMillis())
                .bind("batch", BATCH)
                .execute()
            == BATCH);
  }
}
