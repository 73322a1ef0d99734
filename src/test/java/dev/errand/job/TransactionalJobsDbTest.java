package dev.errand.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.conversation.SessionId;
import dev.errand.kit.Gate;
import dev.errand.kit.Script;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.session.RunQueue;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jobrunr.jobs.Job;
import org.jobrunr.jobs.JobDetails;
import org.jobrunr.jobs.states.EnqueuedState;
import org.jobrunr.jobs.states.ProcessingState;
import org.jobrunr.jobs.states.StateName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A job exists exactly when the rows of its transaction exist (architecture, rule 1), and runs
 * nothing but a session.
 */
@QuarkusTest
class TransactionalJobsDbTest implements Story {

  private static final int PARENTS = 8;
  private static final int TASKS = 15;

  /** Without those that had to wait for their first model call. */
  private static final String CLAIMED_AGAIN =
      """
      select count(*) from session
      where parent_id = '%s' and epoch > 1
        and not exists (select 1 from event where session_id = session.id and data ->> 'reason' = 'model_busy')
      """;

  @Inject RunQueue queue;
  @Inject TaskKit kit;
  @Inject JobRunrServer jobRunr;

  @Test
  void rollbackRemovesTheJob() {
    var job = new AtomicReference<UUID>();

    QuarkusTransaction.begin();
    job.set(queue.enqueue(SessionId.next()));
    assertThat(count(job.get())).as("inside the transaction").isEqualTo(1);
    QuarkusTransaction.rollback();

    assertThat(count(job.get())).isZero();
  }

  @Test
  void committedJobIsDeletedWhenItHasRunWithoutASession() {
    var job = QuarkusTransaction.requiringNew().call(() -> queue.enqueue(SessionId.next()));

    await().until(() -> count(job) == 0);
  }

  @Test
  void workerIsTakenPastTheQueueOnlyWhileOneIsFreeAndNoJobWaits() {
    var workers = new Workers(2);
    var job = UUID.randomUUID();
    assertThat(workers.take(job, () -> 0, Set.of()))
        .as("before the first look at the queue")
        .isFalse();
    workers.look();
    assertThat(workers.take(job, () -> 1, Set.of())).isTrue();
    assertThat(workers.take(UUID.randomUUID(), () -> 1, Set.of()))
        .as("with all workers busy")
        .isFalse();
    workers.release(job);
    assertThat(workers.take(job, () -> 1, Set.of())).as("after the first has begun").isTrue();
    workers.release(job);
    workers.wake();
    assertThat(workers.take(job, () -> 0, Set.of())).as("while jobs may wait").isFalse();
    workers.look();
    workers.drain();
    assertThat(workers.take(job, () -> 0, Set.of())).as("while the node stops").isFalse();
  }

  @Test
  void jobHasNoRowWhileItsSessionRuns() {
    var gate = new Gate();
    var session = kit.session(model -> model.at(gate).says("done"));

    kit.say(session, "Go.");
    gate.awaitArrivals(1);
    var job =
        kit.row(
            "select job_id::text from session where id = '" + session.value() + "'", String.class);
    assertThat(count(UUID.fromString(job))).isZero();
    gate.open();
    kit.awaitRest(session);

    assertThat(kit.row("select count(*) from jobrunr_jobs where state = 'FAILED'", Long.class))
        .isZero();
  }

  /**
   * While some jobs are given to workers directly, others are read from the queue. A run that is
   * interrupted begins once more, with a higher epoch.
   */
  @Test
  void eachRunOfManyBeginsOnce() throws Exception {
    kit.children(_ -> new Script().says("gold"));
    var parents = IntStream.range(0, PARENTS).mapToObj(_ -> kit.externalSession()).toList();
    try (var clients = Executors.newFixedThreadPool(PARENTS)) {
      var submissions =
          parents.stream().map(parent -> clients.submit(() -> submitAll(parent))).toList();
      for (var submission : submissions) {
        submission.get();
      }
    }
    parents.forEach(kit::awaitRest);

    assertThat(parents)
        .allSatisfy(parent ->
            assertThat(kit.row(CLAIMED_AGAIN.formatted(parent.value()), Long.class)).isZero());
  }

  private void submitAll(SessionId parent) {
    for (int task = 0; task < TASKS; task++) {
      kit.submit(parent, "dig %d of %s".formatted(task, parent));
    }
  }

  /** JobRunr would interrupt the worker that executes a job which is given to a second one. */
  @Test
  void jobThatAWorkerHasIsNotReadFromTheQueueToo() {
    var workers = new Workers(4);
    workers.look();
    var taken = executed();
    var executing = executed();
    var queued = executed();
    assertThat(workers.take(taken.getId(), () -> 1, Set.of(executing))).isTrue();

    assertThat(workers.withoutTaken(List.of(taken, executing, queued), Set.of(executing)))
        .containsExactly(queued);

    assertThat(workers.take(queued.getId(), () -> 1, Set.of(executing)))
        .as("read before")
        .isFalse();
    workers.release(queued.getId());
    assertThat(workers.take(queued.getId(), () -> 2, Set.of(executing, queued))).isFalse();
  }

  /** JobRunr would interrupt the workers of all jobs whose rows it does not find. */
  @Test
  void jobThatJustSucceededDoesNotMakeJobRunrMissTheRowsOfOthers() {
    var executed = executed();
    var succeeded = executed();
    assertThat(succeeded.succeeded().getState()).isEqualTo(StateName.SUCCEEDED);
    var jobs = List.of(executed, succeeded);

    assertThat(jobRunr.storage().save(jobs)).isEqualTo(jobs);

    assertThat(count(executed.getId())).isZero();
  }

  /** A job that a worker executes, whose row the claim has deleted. */
  private static Job executed() {
    return new Job(
        UUID.randomUUID(),
        2,
        new JobDetails(new RunSessionJob(UUID.randomUUID())),
        List.of(new EnqueuedState(), new ProcessingState(UUID.randomUUID(), "node")),
        new ConcurrentHashMap<>());
  }

  @Test
  void otherTransactionsDoNotSeeTheJobBeforeTheCommit() throws Exception {
    QuarkusTransaction.begin();
    var job = queue.enqueue(SessionId.next());
    var seen = new AtomicReference<Long>();
    var other = Thread.ofPlatform().start(() -> seen.set(count(job)));
    other.join();
    QuarkusTransaction.rollback();

    assertThat(seen).hasValue(0L);
  }

  /** A row in the table of jobs must not be able to call what is in the class path. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        """
        "jobDetails": {"className": "java.lang.System", "methodName": "setProperty", "cacheable": false,
          "jobParameters": [{"className": "java.lang.String", "actualClassName": "java.lang.String", "object": "job.ran"},
                            {"className": "java.lang.String", "actualClassName": "java.lang.String", "object": "yes"}]},
        "metadata": {"@class": "java.util.concurrent.ConcurrentHashMap"}
        """,
        """
        "jobDetails": {"className": "dev.errand.job.TransactionalJobsDbTest$Trap", "methodName": "spring", "cacheable": false,
          "jobParameters": []},
        "metadata": {"@class": "java.util.concurrent.ConcurrentHashMap"}
        """,
        """
        "jobDetails": {"className": "dev.errand.job.RunSessionHandler", "methodName": "run", "cacheable": true,
          "jobParameters": [{"className": "dev.errand.job.TransactionalJobsDbTest$Trap",
                             "actualClassName": "dev.errand.job.TransactionalJobsDbTest$Trap", "object": {"word": "yes"}}]},
        "metadata": {"@class": "java.util.concurrent.ConcurrentHashMap"}
        """,
        """
        "jobDetails": {"className": "dev.errand.job.UpkeepHandler", "methodName": "run", "cacheable": true,
          "jobParameters": [{"className": "dev.errand.job.TransactionalJobsDbTest$Trap",
                             "actualClassName": "dev.errand.job.TransactionalJobsDbTest$Trap", "object": {"word": "yes"}}]},
        "metadata": {"@class": "java.util.concurrent.ConcurrentHashMap"}
        """,
        """
        "jobDetails": {"className": "dev.errand.job.UpkeepHandler", "methodName": "run", "cacheable": true,
          "jobParameters": [{"className": "dev.errand.job.UpkeepJob", "actualClassName": "dev.errand.job.UpkeepJob",
                             "object": {"name": {"@class": "dev.errand.job.TransactionalJobsDbTest$Trap", "word": "yes"}}}]},
        "metadata": {"@class": "java.util.concurrent.ConcurrentHashMap"}
        """,
        """
        "jobDetails": {"className": "dev.errand.job.UpkeepHandler", "methodName": "run", "cacheable": true,
          "jobParameters": [{"className": "dev.errand.job.RunSessionJob", "actualClassName": "dev.errand.job.RunSessionJob",
                             "object": {"session": "00000000-0000-0000-0000-000000000000"}}]},
        "metadata": {"@class": "java.util.concurrent.ConcurrentHashMap"}
        """,
        """
        "jobDetails": {"className": "dev.errand.job.RunSessionHandler", "methodName": "run", "cacheable": true,
          "jobParameters": [{"className": "dev.errand.job.RunSessionJob", "actualClassName": "dev.errand.job.RunSessionJob",
                             "object": {"session": "00000000-0000-0000-0000-000000000000"}}]},
        "metadata": {"@class": "java.util.concurrent.ConcurrentHashMap",
                     "trap": {"@class": "dev.errand.job.TransactionalJobsDbTest$Trap", "word": "yes"}}
        """
      })
  void aForeignJobInTheDatabaseIsNotRun(String foreign) {
    System.clearProperty("job.ran");
    var job = UUID.randomUUID();

    kit.tamper(
        """
        insert into jobrunr_jobs (id, version, jobasjson, jobsignature, state, createdat, updatedat)
        values (cast(? as text), 1, ?, 'foreign', 'ENQUEUED', now(), now())
        """,
        job.toString(),
        """
        {"id": "%s", "version": 1, %s, "jobName": "foreign", "labels": [], "jobSignature": "foreign",
         "jobHistory": [{"@class": "org.jobrunr.jobs.states.EnqueuedState", "state": "ENQUEUED", "createdAt": "2026-11-22T08:19:19Z"}]}
        """
            .formatted(job, foreign));
    jobRunr.hinted();

    await().until(() -> count(job) == 0);
    assertThat(System.getProperty("job.ran")).isNull();
  }

  /** Leaves a trace when it is called, or created with a value. */
  public static final class Trap {

    public void spring() {
      System.setProperty("job.ran", "yes");
    }

    public void setWord(String word) {
      System.setProperty("job.ran", word);
    }
  }

  /** What JobRunr adds to a job that failed or was taken over does not make it a foreign one. */
  @Test
  void ownJobIsReadInEachState() {
    QuarkusTransaction.begin();
    var id = queue.enqueue(SessionId.next());
    var job = jobRunr.storage().getJobById(id);
    jobRunr.storage().save(job.failed("It broke", new IllegalStateException("by the test")));
    jobRunr.storage().save(jobRunr.storage().getJobById(id).delete("not needed"));

    var read = jobRunr.storage().getJobById(id);
    QuarkusTransaction.rollback();

    assertThat(read.getJobDetails().getJobParameterValues()[0])
        .isNotEqualTo(new RunSessionJob(new UUID(0, 0)));
    assertThat(read.getJobStates()).hasSize(3);
  }

  private long count(UUID job) {
    return kit.row("select count(*) from jobrunr_jobs where id = '" + job + "'", Long.class);
  }
}
