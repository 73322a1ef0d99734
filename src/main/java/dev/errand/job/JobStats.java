package dev.errand.job;

import jakarta.inject.Singleton;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Jdbi;
import org.jobrunr.jobs.RecurringJob;
import org.jobrunr.jobs.states.StateName;
import org.jspecify.annotations.Nullable;

/** Reads how many jobs wait, and when the recurring jobs run. They belong to no tenant. */
@Singleton
public class JobStats {

  /** JobRunr stores times in UTC, without a zone. */
  private static final String LAST_RUNS =
      """
      select distinct on (recurringjobid) recurringjobid, updatedat at time zone 'UTC' as ended_at, state = 'SUCCEEDED' as succeeded
      from jobrunr_jobs
      where recurringjobid = any(:ids) and state in ('SUCCEEDED', 'FAILED')
      order by recurringjobid, updatedat desc
      """;

  private final JobRunrServer jobRunr;
  private final Jdbi jdbi;

  JobStats(JobRunrServer jobRunr, Jdbi jdbi) {
    this.jobRunr = jobRunr;
    this.jdbi = jdbi;
  }

  /**
   * The jobs of the whole service.
   *
   * @param waitingForWorker how many jobs wait for a worker
   */
  public record Jobs(long waitingForWorker, List<Recurring> recurring) {}

  /**
   * A recurring job.
   *
   * @param lastRun the last run that has ended; null when there was none on the day before
   */
  public record Recurring(String name, @Nullable LastRun lastRun, Instant nextRunAt) {}

  public record LastRun(Instant endedAt, boolean succeeded) {}

  /** Reads all jobs that wait, from an index. */
  public Jobs read() {
    var storage = jobRunr.storage();
    var recurring = List.copyOf(storage.getRecurringJobs());
    var last = lastRuns(recurring.stream().map(RecurringJob::getId).toList());
    return new Jobs(
        storage.countJobs(StateName.ENQUEUED),
        recurring.stream()
            .map(job -> new Recurring(job.getId(), last.get(job.getId()), job.getNextRun()))
            .sorted(Comparator.comparing(Recurring::name))
            .toList());
  }

  private Map<String, LastRun> lastRuns(List<String> ids) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(LAST_RUNS)
            .bindArray("ids", String.class, ids)
            .map((row, _) ->
                Map.entry(
                    row.getString("recurringjobid"),
                    new LastRun(
                        row.getObject("ended_at", OffsetDateTime.class).toInstant(),
                        row.getBoolean("succeeded"))))
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
  }
}
