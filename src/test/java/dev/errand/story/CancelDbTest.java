package dev.errand.story;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.notNullValue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.kit.Gate;
import dev.errand.kit.Script;
import dev.errand.kit.StallTool;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.node.Node;
import dev.errand.session.Lease;
import dev.errand.session.SessionHandover;
import dev.errand.session.SessionLocks;
import dev.errand.session.SessionState;
import dev.errand.task.StopReason;
import dev.errand.task.SubmitResult;
import dev.errand.task.TaskCaller;
import dev.errand.task.TaskSchema;
import dev.errand.task.TaskState;
import dev.errand.task.TaskStopper;
import dev.errand.task.TaskSubmission;
import dev.errand.task.TaskSubmitter;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Cancellation of tasks and sessions. */
@QuarkusTest
class CancelDbTest implements Story {

  private static final int RACES = 40;

  @Inject TaskKit kit;
  @Inject StallTool stall;
  @Inject TaskSubmitter submitter;
  @Inject SessionHandover handover;
  @Inject Node node;
  @Inject TaskStopper stopper;
  @Inject SessionLocks locks;

  @Test
  void taskIsCancelledWhileItsModelCallHangs() {
    var gate = new Gate();
    var parent = kit.externalSession();
    kit.child("think", model -> model.calls("list", Map.of()).at(gate).says("too late"));

    var task = kit.submit(parent, "think");
    gate.awaitArrivals(1);
    kit.cancel(task);
    gate.awaitInterrupt();
    kit.awaitRest(parent);

    var ended = kit.look(task);
    assertThat(ended.state()).isEqualTo(TaskState.CANCELLED);
    assertThat(ended.outcome().orElseThrow().stopReason()).isEqualTo(StopReason.CANCELLED);
    assertThat(kit.outline(ended.child())).containsExactly("user", "assistant: list", "tool");
    assertThat(kit.transcript(parent).getFirst().text()).contains("cancelled");
    assertThat(gate.passed()).isZero();
  }

  @Test
  void openToolCallsOfACancelledTaskAreAnswered() {
    var gate = new Gate();
    stall.waitAt(gate);
    kit.child("wait", model -> model.calls("stall", Map.of()));

    var task = kit.submit(kit.externalSession(), "wait");
    gate.awaitArrivals(1);
    kit.cancel(task);
    gate.awaitInterrupt();

    var child = kit.look(task).child();
    assertThat(kit.outline(child)).containsExactly("user", "assistant: stall", "tool");
    assertThat(kit.toolResults(child))
        .singleElement()
        .satisfies(
            result -> assertThat(result.isError()).isTrue(),
            result -> assertThat(result.text()).isEqualTo("Cancelled before it was done."));
  }

  @Test
  void secondCancelHasNoEffect() {
    var gate = new Gate();
    var parent = kit.externalSession();
    kit.child("think", model -> model.at(gate).says("too late"));

    var task = kit.submit(parent, "think");
    gate.awaitArrivals(1);
    kit.cancel(task);
    var first = kit.look(task);
    kit.cancel(task);
    kit.awaitRest(parent);

    assertThat(kit.look(task).outcome()).isEqualTo(first.outcome());
    assertThat(kit.outline(parent)).containsExactly("notice");
  }

  @Test
  void cancelDoesNotChangeAnEndedTask() {
    kit.child("think", model -> model.says("thought"));

    var task = kit.submit(kit.externalSession(), "think");
    kit.awaitEnd(task);
    kit.cancel(task);

    assertThat(kit.look(task).state()).isEqualTo(TaskState.COMPLETED);
  }

  @Test
  void cancelOfASessionCancelsItsSubtreeAndReturnsTheNumberOfTasks() {
    var gate = new Gate();
    var parent = kit.externalSession();
    kit.child("one", model -> model.at(gate).says("1"));
    kit.child("two", model -> model.at(gate).says("2"));
    kit.child("below", model -> model.at(gate).says("3"));
    var one = kit.submit(parent, "one");
    var two = kit.submit(parent, "two");
    var middle = kit.look(one).child();
    kit.tamper("update session set grants = '[]', grants_from = '[]' where id = ?", middle.value());
    var below = kit.submit(middle, "below");
    gate.awaitArrivals(3);

    assertThat(kit.cancel(parent)).isEqualTo(3);
    assertThat(kit.cancel(parent)).isZero();

    assertThat(one).satisfies(this::isCancelled);
    assertThat(two).satisfies(this::isCancelled);
    assertThat(below).satisfies(this::isCancelled);
    kit.awaitRest(parent);
    assertThat(kit.outline(parent)).isEmpty();
  }

  /** The caller learns that something is left, and can repeat the call. */
  @Test
  void childThatAnotherTransactionHasLockedDoesNotKeepItsSiblingsFromBeingCancelled() {
    var gate = new Gate();
    var parent = kit.externalSession();
    kit.child("one", model -> model.at(gate).says("1"));
    kit.child("two", model -> model.at(gate).says("2"));
    var one = kit.submit(parent, "one");
    var two = kit.submit(parent, "two");
    gate.awaitArrivals(2);

    QuarkusTransaction.requiringNew()
        .run(() -> {
          locks.lock(kit.look(one).child());
          given()
              .post("/v1/sessions/{id}/cancel", parent.toString())
              .then()
              .statusCode(503)
              .header("Retry-After", notNullValue());
        });
    assertThat(two).satisfies(this::isCancelled);

    assertThat(kit.cancel(parent)).isEqualTo(1);
    assertThat(one).satisfies(this::isCancelled);
    gate.open();
    kit.awaitRest(parent);
  }

  @Test
  void cancelOfAChildCancelsAHangingAndAQueuedGrandchildAtOnce() {
    var gate = new Gate();
    var parent = kit.externalSession();
    kit.child("top", model -> model.at(gate).says("1"));
    kit.child("hangs", model -> model.at(gate).says("2"));
    var top = kit.submit(parent, "top");
    var middle = kit.look(top).child();
    kit.tamper("update session set grants = '[]', grants_from = '[]' where id = ?", middle.value());
    var hanging = kit.submit(middle, "hangs");
    gate.awaitArrivals(2);
    var queued = submitWithoutAWorker(middle, "is queued");

    assertThat(kit.cancel(middle)).isEqualTo(3);

    assertThat(List.of(top, hanging, queued)).allSatisfy(this::isCancelled);
    gate.awaitInterrupt();
    gate.awaitInterrupt();
    gate.open();
    kit.awaitRest(parent);
    assertThat(kit.outline(parent)).containsExactly("notice");
    for (var task : List.of(top, hanging, queued)) {
      assertThat(kit.outline(kit.look(task).child())).containsExactly("user");
    }
    assertThat(kit.cancel(middle)).isZero();
  }

  /** Submits a task, and queues its child again with a job that finds nothing to do. */
  private TaskId submitWithoutAWorker(SessionId parent, String prompt) {
    var gate = new Gate();
    kit.child(prompt, model -> model.at(gate).says("3"));
    var task = kit.submit(parent, prompt);
    gate.awaitArrivals(1);
    var child = kit.look(task).child();
    QuarkusTransaction.requiringNew()
        .run(() -> {
          handover.release(new Lease(child, 1), node.id());
          kit.tamper(
              "update session set state = 'waiting', waits_for = 'answer', waits_since = now() where id = ?",
              child.value());
        });
    gate.awaitInterrupt();
    await()
        .until(() ->
            kit.row(
                    "select count(*) from jobrunr_jobs where id in"
                        + " (select job_id::text from session where id = '%s')"
                            .formatted(child.value()),
                    Long.class)
                == 0);
    kit.tamper(
        """
        update session set state = 'queued', queued_at = now() + interval '1 hour', waits_for = null, waits_since = null
        where id = ?
        """,
        child.value());
    return task;
  }

  private void isCancelled(TaskId task) {
    assertThat(kit.look(task).state()).isEqualTo(TaskState.CANCELLED);
  }

  @Test
  void cancelOfATaskCancelsItsDescendantsAndNotifiesOnlyItsParent() {
    var gate = new Gate();
    var parent = kit.externalSession();
    kit.child("one", model -> model.at(gate).says("1"));
    kit.child("below", model -> model.at(gate).says("2"));
    var one = kit.submit(parent, "one");
    var middle = kit.look(one).child();
    kit.tamper("update session set grants = '[]', grants_from = '[]' where id = ?", middle.value());
    var below = kit.submit(middle, "below");
    gate.awaitArrivals(2);

    kit.cancel(one);
    kit.awaitRest(parent);

    assertThat(below).satisfies(this::isCancelled);
    assertThat(kit.outline(parent)).containsExactly("notice");
    assertThat(kit.outline(middle)).containsExactly("user");
  }

  @Test
  void hostedParentIsToldOfAForeignCancelButNotOfItsOwn() {
    var gate = new Gate();
    var parent = kit.session(model -> model.saysForever("I see"));
    kit.child("one", model -> model.at(gate).says("1"));
    kit.child("two", model -> model.at(gate).says("2"));
    var one = kit.submit(parent, "one");
    kit.submit(parent, "two");
    gate.awaitArrivals(2);

    kit.cancel(one);
    await().until(() -> kit.outline(parent).equals(List.of("notice", "assistant")));
    kit.awaitState(parent, SessionState.IDLE);
    assertThat(kit.cancel(parent)).isEqualTo(1);
    kit.awaitRest(parent);

    assertThat(kit.transcript(parent).getFirst().text()).contains("cancelled");
    assertThat(kit.outline(parent)).containsExactly("notice", "assistant");
  }

  @Test
  void cancelOfAWaitingParentAnswersItsCallAndLeavesItIdle() {
    var gate = new Gate();
    var parent = kit.session(model -> model.callsTask("dig").thenSays("here again"));
    kit.child("dig", model -> model.at(gate).says("gold"));
    kit.say(parent, "Dig.");
    gate.awaitArrivals(1);
    kit.awaitState(parent, SessionState.WAITING);

    assertThat(kit.cancel(parent)).isEqualTo(1);
    kit.awaitRest(parent);
    assertThat(kit.outline(parent)).containsExactly("user", "assistant: task", "tool");
    assertThat(kit.toolResults(parent).getFirst().isError()).isTrue();

    kit.say(parent, "Are you there?");
    kit.awaitRest(parent);
    assertThat(kit.transcript(parent).getLast().text()).isEqualTo("here again");
  }

  /** Its task has ended, and it answers a client's message. */
  @Test
  void cancelOfASessionStopsAChildThatWorksOnNoTask() {
    var gate = new Gate();
    var parent = kit.externalSession();
    kit.child("think", model -> model.says("done").at(gate).says("too late"));
    var child = kit.awaitEnd(kit.submit(parent, "think")).child();
    kit.awaitState(child, SessionState.IDLE);
    kit.say(child, "And more?");
    gate.awaitArrivals(1);

    kit.cancel(parent);
    gate.awaitInterrupt();
    kit.awaitRest(parent);

    assertThat(kit.look(child).state()).isEqualTo(SessionState.IDLE);
    assertThat(gate.passed()).isZero();
  }

  @Test
  void cancelOfAHostedSessionInterruptsItsOwnModelCall() {
    var gate = new Gate();
    var parent = kit.session(model -> model.at(gate).says("too late"));
    kit.say(parent, "Think.");
    gate.awaitArrivals(1);

    assertThat(kit.cancel(parent)).isZero();
    gate.awaitInterrupt();
    kit.awaitRest(parent);

    assertThat(kit.outline(parent)).containsExactly("user");
  }

  /** Whichever of the two comes first, no task is left that nothing works on. */
  @Test
  void taskThatAChildGetsWhileItsSessionIsCancelledHasARunOrAnEnd() throws Exception {
    kit.children(_ -> new Script().saysForever("dug"));
    var parent = kit.externalSession();
    var child = kit.awaitEnd(kit.submit(parent, "dig")).child();
    var submission = submission(parent, "go on", child);

    try (var threads = Executors.newFixedThreadPool(2)) {
      for (int round = 0; round < RACES; round++) {
        var start = new CyclicBarrier(2);
        var cancelling =
            threads.submit(() -> {
              start.await();
              return stopper.cancelSession(child);
            });
        var submitting =
            threads.submit(() -> {
              start.await();
              return submitter.submit(submission, null);
            });
        cancelling.get();
        var task = ((SubmitResult.Accepted) submitting.get()).task();

        assertThat(
                kit.row(
                    """
                    select count(*) from task join session on session.id = session_id
                    where task.state in ('pending', 'running') and session.state = 'idle'
                    """,
                    Integer.class))
            .isZero();
        kit.awaitEnd(task.id());
      }
    }
  }

  private TaskSubmission submission(
      SessionId parent, String prompt, @Nullable SessionId continued) {
    var fields = JsonNodeFactory.instance.objectNode().put("description", "a task");
    if (continued != null) {
      fields.put("session_id", continued.toString());
    }
    return new TaskSubmission(
        parent,
        new TaskCaller.Client(null, Duration.ZERO, null),
        TaskSchema.read(fields.put("prompt", prompt).put("background", true)));
  }
}
