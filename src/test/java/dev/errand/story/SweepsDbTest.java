package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.kit.Gate;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.session.SessionState;
import dev.errand.task.TaskState;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A row that somebody has locked does not delay the others of a sweep. */
@QuarkusTest
class SweepsDbTest implements Story {

  @Inject TaskKit kit;

  private final List<Gate> gates = new ArrayList<>();

  /** Of each pair, the first is locked; it is the first of its sweep, too. */
  @Test
  void lockedSessionsDelayOnlyTheirOwnTasks() {
    var overdue = List.of(running("slow 1"), running("slow 2"));
    var waiting = List.of(waiting("waiting 1"), waiting("waiting 2"));
    var retried = List.of(waiting("again 1"), waiting("again 2"));
    retried.forEach(this::postponeAttempt);
    var cleaned = List.of(ended("tidy 1"), ended("tidy 2"));

    QuarkusTransaction.requiringNew()
        .run(() -> {
          keepOpen();
          lock(overdue.getFirst(), waiting.getFirst(), retried.getFirst(), cleaned.getFirst());
          QuarkusTransaction.requiringNew().run(() -> makeDue(overdue, waiting, cleaned));

          assertThat(kit.awaitEnd(overdue.getLast()).state()).isEqualTo(TaskState.TIMED_OUT);
          assertThat(kit.awaitEnd(waiting.getLast()).state()).isEqualTo(TaskState.COMPLETED);
          assertThat(kit.awaitEnd(retried.getLast()).state()).isEqualTo(TaskState.COMPLETED);
          kit.awaitState(child(cleaned.getLast()), SessionState.CLOSED);

          assertThat(List.of(overdue, waiting, retried))
              .allSatisfy(pair -> assertThat(kit.look(pair.getFirst()).outcome()).isEmpty());
          assertThat(kit.look(child(cleaned.getFirst())).state()).isEqualTo(SessionState.IDLE);
        });

    assertThat(kit.awaitEnd(overdue.getFirst()).state()).isEqualTo(TaskState.TIMED_OUT);
    assertThat(kit.awaitEnd(waiting.getFirst()).state()).isEqualTo(TaskState.COMPLETED);
    assertThat(kit.awaitEnd(retried.getFirst()).state()).isEqualTo(TaskState.COMPLETED);
    kit.awaitState(child(cleaned.getFirst()), SessionState.CLOSED);
    gates.forEach(Gate::open);
  }

  @Test
  void lockedParentDelaysOnlyItsOwnNotices() {
    var gate = new Gate();
    var parents = List.of(kit.externalSession(), kit.externalSession());
    var tasks =
        List.of(task(parents.getFirst(), "one", gate), task(parents.getLast(), "two", gate));
    gate.awaitArrivals(2);

    QuarkusTransaction.requiringNew()
        .run(() -> {
          keepOpen();
          kit.tamper(
              "select 1 from session where id = ? for no key update", parents.getFirst().value());
          gate.open();
          kit.awaitEnd(tasks.getFirst());
          kit.awaitDelivery(tasks.getLast());
          assertThat(kit.transcript(parents.getFirst())).isEmpty();
        });

    kit.awaitDelivery(tasks.getFirst());
  }

  private TaskId task(SessionId parent, String prompt, Gate gate) {
    kit.child(prompt, model -> model.at(gate).says("done"));
    return kit.submit(parent, prompt);
  }

  private TaskId running(String prompt) {
    var gate = gate();
    var task = task(kit.externalSession(), prompt, gate);
    gate.awaitArrivals(1);
    return task;
  }

  /** A task that waits, because its parent has as many as it may. */
  private TaskId waiting(String prompt) {
    var parent = kit.limitedSession(Map.of("max_background_tasks", 1));
    var gate = gate();
    task(parent, prompt + " first", gate);
    gate.awaitArrivals(1);
    kit.child(prompt, model -> model.says("done"));
    return kit.submit(parent, prompt);
  }

  /**
   * Makes a task that waits for its parent wait for its next attempt instead, which is due soon.
   */
  private void postponeAttempt(TaskId task) {
    kit.tamper(
        "update session set waits_for = 'retry', waits_order = null, waits_until = now() + interval '8 seconds' where id = ?",
        kit.look(task).child().value());
  }

  private TaskId ended(String prompt) {
    kit.child(prompt, model -> model.says("done"));
    var task = kit.submit(kit.externalSession(), prompt, Map.of("cleanup", "delete"));
    kit.awaitEnd(task);
    kit.awaitDelivery(task);
    return task;
  }

  private Gate gate() {
    var gate = new Gate();
    gates.add(gate);
    return gate;
  }

  /** The test only waits in its transaction, which the database would end after some seconds. */
  private void keepOpen() {
    kit.tamper("set local idle_in_transaction_session_timeout = 0");
  }

  private void lock(TaskId... tasks) {
    for (var task : tasks) {
      kit.tamper("select 1 from session where id = ? for update", child(task).value());
    }
  }

  private SessionId child(TaskId task) {
    return kit.look(task).child();
  }

  private void makeDue(List<TaskId> overdue, List<TaskId> waiting, List<TaskId> cleaned) {
    overdue.forEach(
        task -> kit.tamper("update task set deadline_at = now() where id = ?", task.value()));
    waiting.forEach(task ->
        kit.tamper(
            "update tree set max_background_tasks = 2 where root_id = ?",
            kit.look(task).parent().value()));
    cleaned.forEach(task ->
        kit.tamper(
            "update outbox set state = 'consumed', consumed_at = now() where task_id = ?",
            task.value()));
  }
}
