package dev.errand.job;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jobrunr.jobs.Job;
import org.jobrunr.jobs.JobDetails;
import org.jobrunr.jobs.RecurringJob;
import org.jobrunr.jobs.states.EnqueuedState;
import org.jobrunr.jobs.states.ProcessingState;
import org.jobrunr.jobs.states.ScheduledState;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Slow clean-up runs once for all nodes, as recurring jobs (architecture, rules 6 and 7). */
@QuarkusTest
class UpkeepDbTest implements Story {

  private static final int AT_ONCE = 3;

  /** JobRunr looks for overdue jobs at its poll interval. */
  private static final Duration SOME_POLLS = Duration.ofMinutes(1);

  private static final List<String> REFUSE =
      List.of(
          """
          create or replace function refuse() returns trigger language plpgsql as $$
          begin raise exception 'not now'; end $$
          """,
          "create or replace trigger refuse before delete on audit for each row execute function refuse()");

  @Inject TaskKit kit;
  @Inject JobRunrServer jobRunr;
  @Inject RecurringJobs jobs;
  @Inject MeterRegistry registry;

  @AfterEach
  void clear() {
    kit.tamper("drop trigger if exists refuse on audit");
    kit.tamper(
        "delete from jobrunr_jobs where recurringjobid is not null and state <> 'SCHEDULED'");
    kit.tamper("delete from tenant where id ~ '^[0-9a-f]{8}-'");
    kit.tamper("delete from callback where url = 'http://127.0.0.1:9'");
  }

  @Test
  void everyUpkeepIsARecurringJob() {
    assertThat(createdAt().keySet())
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(UpkeepCase.values()).map(UpkeepCase::upkeep).toList());
  }

  @ParameterizedTest
  @EnumSource
  void jobsOfOneUpkeepDoItsWorkAlsoAtTheSameTime(UpkeepCase upkeep) {
    var session = kit.externalSession();
    upkeep.make(kit, session);
    assertThat(upkeep.left(kit, session)).isPositive();

    var made = IntStream.range(0, AT_ONCE).mapToObj(_ -> enqueue(upkeep)).toList();

    jobRunr.hinted();
    await().untilAsserted(() -> assertThat(made).extracting(this::state).containsOnly("SUCCEEDED"));
    assertThat(upkeep.left(kit, session)).isZero();
  }

  @Test
  void failedUpkeepIsReportedAndRunsAgain() {
    var session = kit.externalSession();
    UpkeepCase.AUDIT.make(kit, session);
    REFUSE.forEach(kit::tamper);
    var failures = registry.counter("errand.step.failures", "step", "delete_old_audit");
    var before = failures.count();

    var first = enqueue(UpkeepCase.AUDIT);
    jobRunr.hinted();
    await().until(() -> "FAILED".equals(state(first)));
    assertThat(failures.count()).isEqualTo(before + 1);
    assertThat(lastRun("delete_old_audit")).containsEntry("succeeded", false);

    kit.tamper("drop trigger refuse on audit");
    var second = enqueue(UpkeepCase.AUDIT);
    jobRunr.hinted();
    await().until(() -> "SUCCEEDED".equals(state(second)));
    assertThat(UpkeepCase.AUDIT.left(kit, session)).isZero();
    assertThat(lastRun("delete_old_audit")).containsEntry("succeeded", true);
  }

  @Test
  void statsShowTheJobsOfTheService() {
    var from = Instant.now().minusSeconds(1);
    var job = enqueue(UpkeepCase.DAYS);
    jobRunr.hinted();
    await().until(() -> "SUCCEEDED".equals(state(job)));

    var stats = given().get("/v1/stats").then().statusCode(200);

    assertThat(stats.<Number>path("jobs.waiting_for_worker").intValue()).isNotNegative();
    assertThat(Instant.parse((String) lastRun("delete_old_days").get("ended_at")))
        .isBetween(from, Instant.now().plusSeconds(1));
    assertThat(stats.<List<String>>path("jobs.recurring.next_run_at").stream().map(Instant::parse))
        .hasSameSizeAs(UpkeepCase.values())
        .allSatisfy(next ->
            assertThat(next)
                .isBetween(Instant.now().minusSeconds(1), Instant.now().plusSeconds(3601)));
  }

  /** JobRunr considers a job lost when its row is not renewed for a minute. */
  @Test
  void runningJobOfAnUpkeepIsRenewed() {
    var running =
        new Job(
            UUID.randomUUID(),
            0,
            new JobDetails(new UpkeepJob("delete_old_days")),
            List.of(new EnqueuedState(), new ProcessingState(UUID.randomUUID(), "node")),
            new ConcurrentHashMap<>());
    running.setRecurringJobId("delete_old_days");
    jobRunr.storage().save(running);

    running.updateProcessing();
    jobRunr.storage().save(List.of(running));

    assertThat(jobRunr.storage().getJobById(running.getId()).getVersion()).isEqualTo(2);
  }

  /** The job waited for its time in the old server, and the new one begins it. */
  @Test
  void jobsThatAreDueAreRunByAServerThatReplacesAnother() {
    jobRunr.stop(new ShutdownEvent());
    var due =
        new Job(
            new JobDetails(new UpkeepJob("delete_old_days")),
            new ScheduledState(Instant.now().minusSeconds(1)));
    due.setRecurringJobId("delete_old_days");
    jobRunr.storage().save(due);

    await().atMost(SOME_POLLS).until(() -> "SUCCEEDED".equals(state(due.getId())));
  }

  @Test
  void nodeThatStartsRemovesUnknownRecurringJobsAndKeepsTheTimesOfOthers() {
    var before = createdAt();
    kit.tamper(
        """
        insert into jobrunr_recurring_jobs (id, version, jobasjson, createdat)
        select 'sweep_the_floor', version, replace(jobasjson, 'delete_old_days', 'sweep_the_floor'), createdat
        from jobrunr_recurring_jobs where id = 'delete_old_days'
        """);
    kit.tamper(
        "update jobrunr_recurring_jobs set jobasjson = replace(jobasjson, 'PT1H', 'PT5H') where id = 'delete_old_hours'");

    jobs.store(new StartupEvent());

    var after = createdAt();
    assertThat(after.keySet()).isEqualTo(before.keySet());
    assertThat(after.remove("delete_old_hours")).isAfter(before.remove("delete_old_hours"));
    assertThat(after).isEqualTo(before);
  }

  private Map<String, Instant> createdAt() {
    return jobRunr.storage().getRecurringJobs().stream()
        .collect(Collectors.toMap(RecurringJob::getId, RecurringJob::getCreatedAt));
  }

  private UUID enqueue(UpkeepCase upkeep) {
    var recurring =
        jobRunr.storage().getRecurringJobs().stream()
            .filter(job -> job.getId().equals(upkeep.upkeep()))
            .findFirst()
            .orElseThrow();
    return jobRunr.storage().save(recurring.toEnqueuedJob()).getId();
  }

  private @Nullable String state(UUID job) {
    return kit.row("select state from jobrunr_jobs where id = '" + job + "'", String.class);
  }

  private static Map<String, Object> lastRun(String name) {
    return given()
        .get("/v1/stats")
        .<Map<String, Object>>path("jobs.recurring.find { it.name == '" + name + "' }.last_run");
  }
}
