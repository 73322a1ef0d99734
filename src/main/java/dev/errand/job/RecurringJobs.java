package dev.errand.job;

import dev.errand.node.Upkeep;
import io.quarkus.arc.All;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import org.jdbi.v3.core.Jdbi;
import org.jobrunr.jobs.JobDetails;
import org.jobrunr.jobs.RecurringJob;
import org.jobrunr.jobs.RecurringJob.CreatedBy;
import org.jobrunr.scheduling.interval.Interval;

/**
 * Stores a recurring job for each upkeep when a node starts. One that is stored already keeps its
 * times, so that nodes which start often do not postpone it.
 */
@Singleton
class RecurringJobs {

  /** JobRunr looks for a row before it inserts it. */
  private static final String LOCK =
      "lock table jobrunr_recurring_jobs in share row exclusive mode";

  private final List<Upkeep> upkeeps;
  private final JobRunrServer jobRunr;
  private final Jdbi jdbi;

  RecurringJobs(@All List<Upkeep> upkeeps, JobRunrServer jobRunr, Jdbi jdbi) {
    this.upkeeps = upkeeps;
    this.jobRunr = jobRunr;
    this.jdbi = jdbi;
  }

  /** Stores the recurring jobs before JobRunr starts. */
  void store(@Observes @Priority(29) StartupEvent start) {
    QuarkusTransaction.requiringNew()
        .run(() -> {
          jdbi.useHandle(handle -> handle.execute(LOCK));
          store(upkeeps.stream().map(RecurringJobs::job).toList());
        });
  }

  private void store(List<RecurringJob> wanted) {
    var storage = jobRunr.storage();
    var stored = List.copyOf(storage.getRecurringJobs());
    stored.stream()
        .filter(job -> wanted.stream().noneMatch(other -> other.getId().equals(job.getId())))
        .forEach(job -> storage.deleteRecurringJob(job.getId()));
    wanted.stream()
        .filter(job -> stored.stream().noneMatch(other -> isSame(job, other)))
        .forEach(storage::saveRecurringJob);
  }

  private static RecurringJob job(Upkeep upkeep) {
    var job =
        new RecurringJob(
            upkeep.name(),
            new JobDetails(new UpkeepJob(upkeep.name())),
            new Interval(upkeep.every()),
            ZoneOffset.UTC,
            CreatedBy.API);
    job.setJobName(upkeep.name());
    job.setAmountOfRetries(0);
    return job;
  }

  private static boolean isSame(RecurringJob one, RecurringJob other) {
    return one.getId().equals(other.getId())
        && one.getScheduleExpression().equals(other.getScheduleExpression())
        && Arrays.equals(
            one.getJobDetails().getJobParameterValues(),
            other.getJobDetails().getJobParameterValues());
  }
}
