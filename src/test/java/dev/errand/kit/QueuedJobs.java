package dev.errand.kit;

import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import org.jdbi.v3.core.Jdbi;

/**
 * Makes the database refuse a commit that leaves a session queued without its job (architecture,
 * rule 6). Sessions that a test queues for a later time need none.
 */
@Singleton
public final class QueuedJobs {

  private static final String FUNCTION =
      """
      create or replace function queued_session_has_job() returns trigger language plpgsql as $$
      begin
        if exists (select 1 from session where id = new.id and state = 'queued' and job_id is not distinct from new.job_id)
          and not exists (select 1 from jobrunr_jobs where id = new.job_id::text) then
          raise exception 'session % is queued without its job', new.id;
        end if;
        return null;
      end $$
      """;

  private static final String TRIGGER =
      """
      create constraint trigger queued_session_has_job after insert or update of state, job_id on session
      deferrable initially deferred for each row
      when (new.state = 'queued' and new.queued_at < now() + interval '1 minute')
      execute function queued_session_has_job()
      """;

  /** After JobRunr has created its tables. */
  void atStart(@Observes @Priority(1000) StartupEvent start, Jdbi jdbi) {
    check(jdbi);
  }

  /** From now on, the database checks this at each commit. Idempotent. */
  public static void check(Jdbi jdbi) {
    jdbi.useTransaction(handle -> {
      handle.execute(FUNCTION);
      handle.execute("drop trigger if exists queued_session_has_job on session");
      handle.execute(TRIGGER);
    });
  }
}
