package dev.errand.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.kit.Gate;
import dev.errand.kit.Script;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.run.LocalStarts;
import dev.errand.session.RunQueue;
import dev.errand.session.SessionState;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.Map;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Runs that begin in the transaction that queues their session, without a job. */
@QuarkusTest
class LocalStartsDbTest implements Story {

  @Inject TaskKit kit;
  @Inject JobRunrServer jobRunr;
  @Inject RunQueue queue;
  @Inject LocalStarts starts;

  /** No job waits, and no worker is busy. */
  @BeforeEach
  void awaitFreeWorkers() {
    var job = UUID.randomUUID();
    await().until(() -> jobRunr.occupiedWorkers() == 0 && jobRunr.keepWorker(job));
    jobRunr.release(job);
  }

  @Test
  void newChildRunsFromItsCreationOn() {
    var gate = new Gate();
    kit.children(_ -> new Script().at(gate).says("gold"));
    var parent = kit.externalSession();

    var task = kit.submit(parent, "dig");
    gate.awaitArrivals(1);

    assertThat(child(task, "state = 'running' and epoch = 1 and job_id is null and next_seq = 2"))
        .isTrue();
    assertThat(child(task, "not exists (select 1 from inbox where session_id = session.id)"))
        .isTrue();
    assertThat(task(task, "state = 'running' and attempts = 1 and started_at = created_at"))
        .isTrue();
    assertThat(task(task, "deadline_at = started_at + timeout_ms * interval '1 millisecond'"))
        .isTrue();
    gate.open();
    assertThat(kit.awaitEnd(task).outcome().orElseThrow().result()).isEqualTo("gold");
    assertThat(kit.takeovers(task)).isZero();
    await().until(() -> jobRunr.occupiedWorkers() == 0);
  }

  @Test
  void childThatHasToWaitForItsParentsLimitKeepsNoWorker() {
    var gate = new Gate();
    kit.children(_ -> new Script().at(gate).says("gold"));
    var parent = kit.limitedSession(Map.of("max_background_tasks", 1));
    var first = kit.submit(parent, "dig here");
    gate.awaitArrivals(1);

    var second = kit.submit(parent, "dig there");

    assertThat(child(second, "state = 'waiting' and node_id is null")).isTrue();
    assertThat(task(second, "state = 'pending' and attempts = 0 and started_at is null")).isTrue();
    assertThat(jobRunr.occupiedWorkers()).isEqualTo(1);
    gate.open();
    kit.awaitEnd(first);
    assertThat(kit.awaitEnd(second).attempts()).isEqualTo(1);
  }

  @Test
  void refusedDelegationKeepsNoWorker() {
    var parent = kit.limitedSession(Map.of("max_delegations", 0));

    var answer =
        kit.post(
            Map.of(
                "parent_session_id",
                parent.toString(),
                "description",
                "dig",
                "prompt",
                "dig",
                "background",
                true));

    assertThat(answer.statusCode()).isEqualTo(422);
    assertThat(jobRunr.occupiedWorkers()).isZero();
    assertThat(kit.tasksOf(parent)).isEmpty();
  }

  @Test
  void resultClaimsItsParentInTheTransactionThatDeliversIt() {
    var digging = new Gate();
    var gate = new Gate();
    kit.children(_ -> new Script().at(digging).says("gold"));
    var parent =
        kit.session(model ->
            model.callsTaskInBackground("dig").says("I wait.").at(gate).thenSays("There is gold."));

    kit.say(parent, "Dig.");
    kit.awaitState(parent, SessionState.IDLE);
    digging.open();
    gate.awaitArrivals(1);

    var task = kit.awaitTask(parent);
    assertThat(
            kit.row(
                """
                select updated_at = (select consumed_at from inbox where session_id = session.id and kind = 'notice')
                   and updated_at <= (select delivered_at from outbox where task_id = '%s')
                from session where id = '%s'
                """
                    .formatted(task.value(), parent.value()),
                Boolean.class))
        .isTrue();
    gate.open();
    kit.awaitRest(parent);
    assertThat(kit.transcript(parent).getLast().text()).isEqualTo("There is gold.");
  }

  @Test
  void rollbackOfAClaimFreesTheWorker() {
    var session = kit.session(model -> model.says("done"));

    QuarkusTransaction.begin();
    kit.tamper("update session set state = 'queued' where id = ?", session.value());
    assertThat(queue.claim(session)).isTrue();
    assertThat(jobRunr.occupiedWorkers()).isEqualTo(1);
    QuarkusTransaction.rollback();

    assertThat(jobRunr.occupiedWorkers()).isZero();
    assertThat(kit.look(session).state()).isEqualTo(SessionState.IDLE);
  }

  /** A node that stops after the commit queues the session again, which is no lost worker. */
  @Test
  void sessionThatNoWorkerTakesIsQueuedAgain() {
    var session = kit.session(model -> model.says("done"));
    kit.say(session, "Go.");
    kit.awaitRest(session);
    var epoch = epoch(session);
    BooleanSupplier stopping = () -> false;

    QuarkusTransaction.requiringNew()
        .run(() -> {
          kit.tamper("update session set state = 'queued' where id = ?", session.value());
          assertThat(starts.claim(session, stopping)).isTrue();
        });

    assertThat(epoch(session)).isEqualTo(epoch + 1);
    kit.tamper(
        "update session set updated_at = now() - interval '1 minute' where id = ?",
        session.value());
    kit.awaitRest(session);
    assertThat(kit.look(session).takeovers()).isZero();
  }

  private long epoch(SessionId session) {
    return kit.row(
        "select epoch from session where id = '%s'".formatted(session.value()), Long.class);
  }

  private boolean child(TaskId task, String condition) {
    return kit.row(
        "select %s from session where id = '%s'"
            .formatted(condition, kit.look(task).child().value()),
        Boolean.class);
  }

  private boolean task(TaskId task, String condition) {
    return kit.row(
        "select %s from task where id = '%s'".formatted(condition, task.value()), Boolean.class);
  }
}
