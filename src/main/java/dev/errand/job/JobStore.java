package dev.errand.job;

import java.sql.SQLException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;
import org.jobrunr.jobs.Job;
import org.jobrunr.jobs.states.StateName;
import org.jobrunr.server.BackgroundJobServer;
import org.jobrunr.storage.StorageException;
import org.jobrunr.storage.navigation.AmountRequest;
import org.jobrunr.storage.sql.postgres.PostgresStorageProvider;
import org.jobrunr.utils.mapper.jackson.JacksonJsonMapper;

/**
 * The jobs in the database. A job of a session has a row until the session is claimed: the claim
 * deletes it in its own transaction, because from then on the session's row says who drives it
 * (architecture, rule 6). A job that claims nothing is deleted when it ends. So running jobs of
 * sessions are not renewed, and done ones are not kept. Jobs of upkeeps are, as JobRunr does it.
 */
final class JobStore extends PostgresStorageProvider {

  private static final String DELETE = "delete from jobrunr_jobs where id = ?";

  private static final Set<StateName> EXECUTED =
      EnumSet.of(StateName.PROCESSING, StateName.SUCCEEDED);

  private final Workers workers;

  /** The job of this thread, when its row is deleted. */
  private final ThreadLocal<UUID> deleted = new ThreadLocal<>();

  JobStore(DataSource dataSource, JacksonJsonMapper json, Workers workers) {
    super(dataSource);
    this.workers = workers;
    setJobMapper(new OwnJobs(json));
  }

  /** Notes that the row of the job that this thread executes is deleted. */
  void isDeleted(UUID job) {
    deleted.set(job);
  }

  /**
   * Deletes a job by a statement with a parameter. JobRunr writes the id into the statement, which
   * is planned again each time.
   */
  @Override
  public int deletePermanently(UUID id) {
    try (var connection = dataSource.getConnection();
        var delete = connection.prepareStatement(DELETE)) {
      delete.setString(1, id.toString());
      return delete.executeUpdate();
    } catch (SQLException fault) {
      throw new StorageException(fault);
    }
  }

  @Override
  public Job save(Job job) {
    if (job.getId().equals(deleted.get())) {
      deleted.remove();
      return job;
    }
    if (job.getState() == StateName.SUCCEEDED && !OwnJobs.isUpkeep(job)) {
      var ignored = deletePermanently(job.getId());
      return job;
    }
    return super.save(job);
  }

  /**
   * Leaves out jobs of sessions that workers execute, one of which may just have succeeded: their
   * rows are deleted, and JobRunr would interrupt each worker whose row it does not find.
   */
  @Override
  public List<Job> save(List<Job> jobs) {
    var others =
        jobs.stream()
            .filter(job -> OwnJobs.isUpkeep(job) || !EXECUTED.contains(job.getState()))
            .toList();
    if (!others.isEmpty()) {
      var ignored = super.save(others);
    }
    return jobs;
  }

  @Override
  public List<Job> getJobsToProcess(BackgroundJobServer server, AmountRequest amount) {
    workers.look();
    try {
      var jobs = super.getJobsToProcess(server, amount);
      if (jobs.size() >= amount.getLimit()) {
        workers.wake();
      }
      return workers.withoutTaken(jobs, server.getJobSteward().getJobsInProgress());
    } catch (RuntimeException fault) {
      workers.wake();
      throw fault;
    }
  }
}
