package dev.errand.story;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.kit.Gate;
import dev.errand.kit.Script;
import dev.errand.kit.Script.Call;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.session.SessionState;
import dev.errand.task.TaskState;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Background tasks of one parent: the limit decides how many run, the others are queued. */
@QuarkusTest
class BackgroundLimitDbTest implements Story {

  @Inject TaskKit kit;

  @Test
  void queuedTaskStartsWhenASlotBecomesFree() {
    var gate = new Gate();
    kit.child("one", model -> model.at(gate).says("1"));
    kit.child("two", model -> model.says("2"));
    var parent =
        kit.session(
            Map.of("limits", Map.of("max_background_tasks", 1)),
            model ->
                model
                    .callsTaskInBackground("one")
                    .callsTaskInBackground("two")
                    .thenSays("both are on their way")
                    .saysForever("noted"));

    kit.say(parent, "Do two things.");
    gate.awaitArrivals(1);
    kit.awaitState(parent, SessionState.IDLE);
    var two = kit.tasksOf(parent).getLast();

    assertThat(kit.toolResults(parent).getFirst().text()).contains("runs in the background");
    assertThat(kit.toolResults(parent).getLast().text())
        .contains("queued behind 1 of your running or waiting tasks", "status: accepted");
    assertThat(two.state()).isEqualTo(TaskState.PENDING);
    assertThat(kit.look(two.child()).state()).isEqualTo(SessionState.WAITING);
    gate.open();
    assertThat(kit.awaitEnd(two.id()).state()).isEqualTo(TaskState.COMPLETED);
    kit.awaitRest(parent);
    assertThat(kit.outline(two.child())).containsExactly("user", "assistant");
  }

  @Test
  void queuedTasksStartByPriorityAndThenByAge() {
    var gate = new Gate();
    kit.child("first", model -> model.at(gate).says("done"));
    kit.children(_ -> new Script().says("done"));
    var parent = oneAtATime();
    kit.submit(parent, "first");
    gate.awaitArrivals(1);
    var early = kit.submit(parent, "early");
    var late = kit.submit(parent, "late");
    var urgent = kit.submit(parent, "urgent", Map.of("priority", 5));

    gate.open();
    List.of(early, late, urgent).forEach(kit::awaitEnd);

    assertThat(List.of(urgent, early, late))
        .isSortedAccordingTo((one, other) -> startedAt(one).compareTo(startedAt(other)));
  }

  @Test
  void fiftyConcurrentSubmissionsExceedNeitherBudgetNorSlots() throws Exception {
    var gate = new Gate();
    kit.children(_ -> new Script().at(gate).says("done"));
    var parent = kit.limitedSession(Map.of("max_delegations_total", 20, "max_background_tasks", 5));

    try (var threads = Executors.newFixedThreadPool(50)) {
      var answers =
          threads.invokeAll(
              IntStream.range(0, 50)
                  .<Callable<Integer>>mapToObj(
                      number -> () -> kit.post(body(parent, "number " + number)).statusCode())
                  .toList());
      assertThat(answers.stream().map(answer -> answer.resultNow()).filter(code -> code == 202))
          .hasSize(20);
      assertThat(answers.stream().map(answer -> answer.resultNow()).filter(code -> code == 422))
          .hasSize(30);
    }
    gate.awaitArrivals(5);
    gate.open();
    kit.awaitRest(parent);

    assertThat(kit.tasksOf(parent))
        .hasSize(20)
        .allSatisfy(task -> assertThat(task.state()).isEqualTo(TaskState.COMPLETED));
    assertThat(maxConcurrent(parent)).isEqualTo(5);
  }

  @Test
  void foregroundTasksNeedNoSlot() {
    var gate = new Gate();
    kit.child("one", model -> model.at(gate).says("1"));
    kit.child("two", model -> model.says("2"));
    var parent =
        kit.session(
            Map.of("limits", Map.of("max_background_tasks", 1)),
            model ->
                model
                    .calls(Call.backgroundTask("one"), Call.task("two"))
                    .thenSays("two is there")
                    .thenSays("one too"));

    kit.say(parent, "Do two things.");
    gate.awaitArrivals(1);
    kit.awaitState(parent, SessionState.IDLE);

    assertThat(kit.toolResults(parent).getLast().text()).startsWith("2");
    gate.open();
  }

  @Test
  void limitOfZeroRefusesBackgroundTasksWithAdvice() {
    var parent =
        kit.session(
            Map.of("limits", Map.of("max_background_tasks", 0)),
            model -> model.callsTaskInBackground("dig").callsTask("dig").thenSays("done"));
    kit.child("dig", model -> model.says("dug"));

    kit.say(parent, "Dig.");
    kit.awaitRest(parent);

    assertThat(kit.toolResults(parent).getFirst().text())
        .isEqualTo(
            "Not delegated: this session may not run background tasks (the limit is 0); use background: false");
    assertThat(kit.toolResults(parent).getLast().text()).startsWith("dug");
    kit.post(body(parent, "dig"))
        .then()
        .statusCode(422)
        .body("errors[0].field", is("parent_session_id"))
        .body("errors[0].message", containsString("background: false"));
  }

  @Test
  void cancelledQueuedTaskNeverStarts() {
    var gate = new Gate();
    kit.child("one", model -> model.at(gate).says("1"));
    var parent = oneAtATime();
    kit.submit(parent, "one");
    gate.awaitArrivals(1);
    var queued = kit.submit(parent, "two");
    var third = kit.submit(parent, "three");
    kit.child("three", model -> model.says("3"));

    kit.cancel(queued);
    gate.open();
    kit.awaitEnd(third);

    var cancelled = kit.look(queued);
    assertThat(cancelled.state()).isEqualTo(TaskState.CANCELLED);
    assertThat(cancelled.attempts()).isZero();
    assertThat(kit.outline(cancelled.child())).containsExactly("user");
  }

  @Test
  void cancelAndDeleteOfASessionIncludeItsQueuedTasks() {
    var gate = new Gate();
    kit.child("one", model -> model.at(gate).says("1"));
    var parent = oneAtATime();
    kit.submit(parent, "one");
    gate.awaitArrivals(1);
    kit.submit(parent, "two");

    assertThat(kit.cancel(parent)).isEqualTo(2);
    given().delete("/v1/sessions/{id}", parent.toString()).then().statusCode(204);

    assertThat(
            kit.row(
                "select count(*) from tree where root_id = '" + parent.value() + "'",
                Integer.class))
        .isZero();
  }

  @Test
  void timeoutOfATaskDoesNotIncludeItsTimeInTheQueue() {
    var gate = new Gate();
    kit.child("one", model -> model.at(gate).says("1"));
    kit.child("two", model -> model.says("2"));
    kit.child("three", model -> model.at(gate).says("3"));
    var parent = oneAtATime();
    kit.submit(parent, "one");
    gate.awaitArrivals(1);
    var queued = kit.submit(parent, "two");
    kit.tamper(
        "update task set created_at = created_at - interval '1 day' where id = ?", queued.value());

    var later = kit.submit(kit.externalSession(), "three");
    gate.awaitArrivals(1);
    kit.tamper("update task set deadline_at = now() where id = ?", later.value());
    assertThat(kit.awaitEnd(later).state()).isEqualTo(TaskState.TIMED_OUT);
    assertThat(kit.look(queued).state()).isEqualTo(TaskState.PENDING);
    gate.open();

    assertThat(kit.awaitEnd(queued).state()).isEqualTo(TaskState.COMPLETED);
  }

  @Test
  void userMessageToAQueuedChildDoesNotStartIt() {
    var gate = new Gate();
    kit.child("one", model -> model.at(gate).says("1"));
    kit.child("two", model -> model.says("2"));
    var parent = oneAtATime();
    kit.submit(parent, "one");
    gate.awaitArrivals(1);
    var queued = kit.submit(parent, "two");

    kit.say(kit.look(queued).child(), "Hurry up.");
    assertThat(kit.look(queued).state()).isEqualTo(TaskState.PENDING);
    gate.open();
    kit.awaitRest(parent);

    assertThat(kit.outline(kit.look(queued).child())).containsExactly("user", "user", "assistant");
  }

  @Test
  void queuedTaskStartsWithoutAHint() {
    var gate = new Gate();
    kit.child("one", model -> model.at(gate).says("1"));
    kit.child("two", model -> model.at(gate).says("2"));
    var parent = oneAtATime();
    kit.submit(parent, "one");
    gate.awaitArrivals(1);
    kit.submit(parent, "two");

    kit.tamper("update tree set max_background_tasks = 2 where root_id = ?", parent.value());
    gate.awaitArrivals(1);
    gate.open();
  }

  @Test
  void continuedChildCanBeQueued() {
    var gate = new Gate();
    kit.child("one", model -> model.says("1").thenSays("more"));
    kit.child("two", model -> model.at(gate).says("2"));
    var parent = oneAtATime();
    var child = kit.awaitEnd(kit.submit(parent, "one")).child();
    kit.submit(parent, "two");
    gate.awaitArrivals(1);

    var queued = kit.submit(parent, "continue", Map.of("session_id", child.toString()));
    assertThat(kit.look(child).state()).isEqualTo(SessionState.WAITING);
    gate.open();

    assertThat(kit.awaitEnd(queued).outcome().orElseThrow().result()).isEqualTo("more");
  }

  private SessionId oneAtATime() {
    return kit.limitedSession(Map.of("max_background_tasks", 1));
  }

  private Instant startedAt(TaskId task) {
    return Objects.requireNonNull(kit.look(task).startedAt());
  }

  /** The largest number of tasks of a parent that were admitted and not ended at the same time. */
  private int maxConcurrent(SessionId parent) {
    return kit.row(
        """
        select max(at_once) from (
          select count(*) as at_once
          from task one join session own on own.id = one.session_id
            join task other using (parent_session_id) join session its on its.id = other.session_id
          where parent_session_id = '%s' and its.queued_at <= own.queued_at and other.ended_at > own.queued_at
          group by one.id) counted
        """
            .formatted(parent.value()),
        Integer.class);
  }

  private static Map<String, ?> body(SessionId parent, String prompt) {
    return Map.of(
        "parent_session_id",
        parent.toString(),
        "description",
        "a task",
        "prompt",
        prompt,
        "background",
        true);
  }
}
