package dev.errand.chaos;

import java.util.List;

/** Faults of the rows of JobRunr. */
final class JobFaults {

  /** Each enqueued job is duplicated under a new id. */
  private static final List<String> DOUBLE =
      List.of(
          "create sequence if not exists doubled_job",
          """
          create or replace function double_job() returns trigger language plpgsql as $$
          declare
            twin jobrunr_jobs := new;
          begin
            if new.state = 'ENQUEUED' and pg_trigger_depth() = 1 then
              perform nextval('doubled_job');
              twin.id := gen_random_uuid()::text;
              twin.jobasjson := replace(new.jobasjson, new.id, twin.id);
              insert into jobrunr_jobs select twin.*;
            end if;
            return null;
          end $$
          """,
          "create or replace trigger double_job after insert on jobrunr_jobs for each row execute function double_job()");

  private static final String DOUBLED =
      "select case when is_called then last_value else 0 end from doubled_job";

  private JobFaults() {}

  /**
   * Duplicates jobs, as JobRunr may do after it considers a worker lost: two workers get the same
   * session.
   */
  static int handOutTwice(Scenario.Stage stage) throws InterruptedException {
    var jdbi = stage.cluster().jdbi();
    jdbi.useTransaction(handle -> DOUBLE.forEach(handle::execute));
    var before = doubled(stage);
    Thread.sleep(Scenario.LASTING);
    jdbi.useHandle(handle -> handle.execute("drop trigger double_job on jobrunr_jobs"));
    return doubled(stage) - before;
  }

  private static int doubled(Scenario.Stage stage) {
    return Integer.parseInt(stage.cluster().texts(DOUBLED).getFirst());
  }
}
