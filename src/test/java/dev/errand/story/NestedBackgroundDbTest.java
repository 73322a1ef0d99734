package dev.errand.story;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.equalTo;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.kit.Gate;
import dev.errand.kit.Script.Call;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.model.ModelException.Code;
import dev.errand.outbox.DeliveryState;
import dev.errand.session.SessionState;
import dev.errand.task.StopReason;
import dev.errand.task.TaskState;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.Map;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/**
 * The task of a child that delegates in the background ends after the delegated tasks have ended.
 */
@QuarkusTest
class NestedBackgroundDbTest implements Story {

  @Inject TaskKit kit;

  private final Gate above = new Gate();
  private final Gate below = new Gate();

  @Test
  void taskEndsWithTheFirstTurnWithoutOpenTasksBelow() {
    var parent = kit.externalSession();
    var task = endedTaskWithDelegatingChild(parent);
    var child = kit.look(task).child();
    kit.child("dig", model -> model.at(below).says("gold"));

    var again = continueChild(parent, child);
    kit.awaitState(child, SessionState.WAITING);
    assertThat(kit.look(again).state()).isEqualTo(TaskState.RUNNING);
    below.open();
    kit.awaitRest(parent);

    var ended = kit.look(again).outcome().orElseThrow();
    assertThat(ended.state()).isEqualTo(TaskState.COMPLETED);
    assertThat(ended.result()).isEqualTo("gold it is");
    assertThat(kit.outline(child).subList(2, 8))
        .containsExactly("user", "assistant: task", "tool", "assistant", "notice", "assistant");
    assertThat(kit.outline(parent)).containsExactly("notice", "notice");
  }

  @RepeatedTest(10)
  void taskEndsWhenItsLastTurnAndTheEndOfATaskBelowCoincide() {
    var parent = kit.externalSession();
    kit.child("lead", model -> model.at(above).says("waiting").saysForever("gold it is"));
    kit.child("dig", model -> model.at(above).says("gold"));
    var task = kit.submit(parent, "lead");
    above.awaitArrivals(1);
    var dig = submitBelow(task, "dig");
    above.awaitArrivals(1);

    above.open();
    kit.awaitRest(parent);

    assertThat(kit.look(task).state()).isEqualTo(TaskState.COMPLETED);
    assertThat(kit.look(dig).state()).isEqualTo(TaskState.COMPLETED);
    assertThat(kit.look(task).endedAt()).isAfter(kit.look(dig).endedAt());
    assertThat(kit.outline(parent)).containsExactly("notice");
  }

  @Test
  void eachNoticeWakesAWaitingChildBecauseTheChainLimitsOnlyRoots() {
    var parent = kit.externalSession();
    var task = waitingTask(parent, "waiting");
    var child = kit.look(task).child();
    for (int round = 0; round < 5; round++) {
      kit.child("more " + round, model -> model.says("more"));
      kit.awaitDelivery(submitBelow(task, "more " + round));
      kit.awaitState(child, SessionState.WAITING);
    }
    assertThat(kit.look(task).state()).isEqualTo(TaskState.RUNNING);

    below.open();
    kit.awaitRest(parent);

    assertThat(kit.look(task).state()).isEqualTo(TaskState.COMPLETED);
  }

  @Test
  void turnLimitEndsTheTaskAndCancelsTheTasksBelow() {
    var parent = kit.externalSession();
    kit.child("lead", model -> model.at(above).says("waiting").says("that is all I know"));
    kit.child("dig", model -> model.at(below).says("gold"));
    kit.child("quick", model -> model.says("silver"));
    var task = kit.submit(parent, "lead", Map.of("max_turns", 1));
    above.awaitArrivals(1);
    var dig = submitBelow(task, "dig");
    below.awaitArrivals(1);
    kit.awaitDelivery(submitBelow(task, "quick"));
    above.open();

    var ending = kit.awaitEnd(task).outcome().orElseThrow();
    below.awaitInterrupt();
    kit.awaitRest(parent);

    assertThat(ending.stopReason()).isEqualTo(StopReason.MAX_TURNS);
    assertThat(ending.result()).isEqualTo("that is all I know");
    assertCancelledWithoutNotice(dig);
    assertThat(kit.outline(kit.look(task).child()))
        .containsExactly("user", "assistant", "notice", "assistant");
  }

  @Test
  void turnLimitAppliesToAllRunsOfAWaitingChild() {
    var parent = kit.externalSession();
    kit.child(
        "lead", model -> model.at(above).says("waiting").says("on").says("that is all I know"));
    kit.child("dig", model -> model.at(below).says("gold"));
    kit.child("quick", model -> model.says("silver"));
    kit.child("quick too", model -> model.says("silver"));
    var task = kit.submit(parent, "lead", Map.of("max_turns", 2));
    var child = kit.look(task).child();
    above.awaitArrivals(1);
    submitBelow(task, "dig");
    below.awaitArrivals(1);
    above.open();
    kit.awaitState(child, SessionState.WAITING);
    kit.awaitDelivery(submitBelow(task, "quick"));
    kit.awaitState(child, SessionState.WAITING);
    submitBelow(task, "quick too");

    var ending = kit.awaitEnd(task).outcome().orElseThrow();
    below.awaitInterrupt();

    assertThat(ending.stopReason()).isEqualTo(StopReason.MAX_TURNS);
    assertThat(ending.result()).isEqualTo("that is all I know");
  }

  @Test
  void childWhoseTaskHasEndedCannotDelegate() {
    var parent = kit.externalSession();
    var child = kit.look(endedTaskWithDelegatingChild(parent)).child();

    kit.post(Map.of("parent_session_id", child.toString(), "description", "x", "prompt", "x"))
        .then()
        .statusCode(400)
        .body("errors[0].field", equalTo("parent_session_id"));
  }

  @Test
  void failureOfAChildCancelsTheTasksBelow() {
    var parent = kit.externalSession();
    kit.child("lead", model -> model.at(above).fails(Code.MODEL_UNAUTHORIZED));
    kit.child("dig", model -> model.at(below).says("gold"));
    var task = kit.submit(parent, "lead");
    above.awaitArrivals(1);
    var dig = submitBelow(task, "dig");
    below.awaitArrivals(1);
    kit.child("quick", model -> model.says("silver"));
    kit.awaitDelivery(submitBelow(task, "quick"));
    above.open();

    below.awaitInterrupt();
    kit.awaitRest(parent);

    assertThat(kit.outline(kit.look(task).child())).containsExactly("user", "notice", "system");
    assertThat(kit.look(task).state()).isEqualTo(TaskState.FAILED);
    assertCancelledWithoutNotice(dig);
    assertThat(kit.outline(parent)).containsExactly("notice");
  }

  @Test
  void cancelOfAWaitingTaskCancelsTheTasksBelow() {
    var parent = kit.externalSession();
    var task = waitingTask(parent, "waiting");

    assertThat(kit.cancel(kit.look(task).child())).isEqualTo(2);
    below.awaitInterrupt();
    kit.awaitRest(parent);

    assertThat(kit.look(task).state()).isEqualTo(TaskState.CANCELLED);
    assertCancelledWithoutNotice(kit.awaitTask(kit.look(task).child()));
    assertThat(kit.outline(parent)).containsExactly("notice");
  }

  @Test
  void timeoutOfAWaitingTaskCancelsTheTasksBelow() {
    var parent = kit.externalSession();
    var task = waitingTask(parent, "half of it");
    kit.tamper("update task set deadline_at = now() where id = ?", task.value());

    var ending = kit.awaitEnd(task).outcome().orElseThrow();
    below.awaitInterrupt();
    kit.awaitRest(parent);

    assertThat(ending.state()).isEqualTo(TaskState.TIMED_OUT);
    assertThat(ending.result()).isEqualTo("half of it");
    assertCancelledWithoutNotice(kit.awaitTask(kit.look(task).child()));
  }

  @Test
  void waitingTaskEndsWhenTheLastResultBelowWasConsumedByAReader() {
    var parent = kit.externalSession();
    var task = waitingTask(parent, "waiting");
    var dig = kit.awaitTask(kit.look(task).child());
    kit.tamper(
        "update task set hold_notice_until = now() + interval '1 hour' where id = ?", dig.value());
    below.open();
    kit.awaitEnd(dig);
    kit.tamper(
        "update outbox set state = 'consumed', consumed_at = now() where task_id = ?", dig.value());

    var ending = kit.awaitEnd(task).outcome().orElseThrow();

    assertThat(ending.state()).isEqualTo(TaskState.COMPLETED);
    assertThat(ending.result()).isEqualTo("waiting");
  }

  @Test
  void backgroundTaskOfARootEndsIndependently() {
    var root =
        kit.session(
            model -> model.callsTaskInBackground("dig").thenSays("go").saysForever("I see"));
    kit.child("dig", model -> model.at(below).says("gold"));

    kit.say(root, "Dig.");
    kit.awaitState(root, SessionState.IDLE);
    given().get("/v1/sessions/{id}", root.toString()).then().statusCode(200);
    below.open();
    kit.awaitRest(root);

    assertThat(kit.outline(root).getLast()).isEqualTo("assistant");
  }

  /**
   * Submits a task whose child has answered with this text and waits for its own task, which waits
   * at the gate.
   */
  private TaskId waitingTask(SessionId parent, String says) {
    kit.child("lead", model -> model.at(above).says(says).saysForever("I see"));
    kit.child("dig", model -> model.at(below).says("gold"));
    var task = kit.submit(parent, "lead");
    above.awaitArrivals(1);
    submitBelow(task, "dig");
    below.awaitArrivals(1);
    above.open();
    kit.awaitState(kit.look(task).child(), SessionState.WAITING);
    assertThat(kit.look(task).state()).isEqualTo(TaskState.RUNNING);
    return task;
  }

  private TaskId submitBelow(TaskId task, String prompt) {
    var child = kit.look(task).child();
    kit.tamper("update session set grants = '[]', grants_from = '[]' where id = ?", child.value());
    return kit.submit(child, prompt);
  }

  /** Submits a task, waits for its end, and allows its child to delegate. */
  private TaskId endedTaskWithDelegatingChild(SessionId parent) {
    kit.child(
        "lead",
        model ->
            model
                .says("ready")
                .calls(Call.backgroundTask("dig"))
                .says("waiting")
                .says("gold it is"));
    var task = kit.submit(parent, "lead");
    kit.awaitEnd(task);
    var child = kit.look(task).child();
    kit.tamper("update session set grants = '[]', grants_from = '[]' where id = ?", child.value());
    return task;
  }

  private TaskId continueChild(SessionId parent, SessionId child) {
    var task = kit.submit(parent, "Now dig.", Map.of("session_id", child.toString()));
    below.awaitArrivals(1);
    return task;
  }

  private void assertCancelledWithoutNotice(TaskId task) {
    assertThat(kit.look(task).state()).isEqualTo(TaskState.CANCELLED);
    assertThat(kit.look(task).delivery()).contains(DeliveryState.SUPPRESSED);
  }
}
