package dev.errand.story;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.either;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.errand.conversation.Content;
import dev.errand.conversation.MessageRole;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.kit.Gate;
import dev.errand.kit.HttpAnswer;
import dev.errand.kit.Script;
import dev.errand.kit.Script.Call;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.session.SessionLocks;
import dev.errand.task.SubmitResult;
import dev.errand.task.Task;
import dev.errand.task.TaskCaller;
import dev.errand.task.TaskSchema;
import dev.errand.task.TaskState;
import dev.errand.task.TaskSubmission;
import dev.errand.task.TaskSubmitter;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Commands for a busy skill agent are accepted at once and queued. */
@QuarkusTest
class SkillQueueDbTest implements Story {

  @Inject TaskKit kit;
  @Inject TaskSubmitter submitter;
  @Inject SessionLocks locks;

  @Test
  void callsOfOneMessageAreExecutedOneAfterAnother() {
    skillAgent(new Script().says("one").says("two").says("three"));
    var parent = kit.session(model -> model.calls(bash(0), bash(1), bash(2)).says("done"));

    kit.say(parent, "Go.");
    kit.awaitRest(parent);

    assertThat(kit.outline(parent))
        .containsExactly("user", "assistant: bash, bash, bash", "tool", "assistant");
    assertThat(kit.toolResults(parent))
        .extracting(Content.ToolResult::text)
        .allSatisfy(text -> assertThat(text).contains("<task_metadata>"))
        .hasSize(3);
    assertOneTranscript(parent, 3);
  }

  @Test
  void commandsOfSeveralCallersAreExecutedInTheOrderOfAcceptance() {
    var gate = new Gate();
    skillAgent(new Script().at(gate).says("0").says("1").says("2"));
    var parent = kit.externalSession();

    var tasks = List.of(accepted(parent, 0), accepted(parent, 1), accepted(parent, 2));
    gate.awaitArrivals(1);
    assertThat(states(tasks))
        .containsExactly(TaskState.RUNNING, TaskState.PENDING, TaskState.PENDING);
    gate.open();
    tasks.forEach(kit::awaitEnd);

    assertThat(tasks)
        .extracting(task -> kit.look(task).outcome().orElseThrow().result())
        .containsExactly("0", "1", "2");
    assertOneTranscript(parent, 3);
    assertThat(prompts(parent)).containsExactly("search 0", "search 1", "search 2");
  }

  @Test
  void waitingCallerIsAnsweredAfterItsQueuedCommand() {
    var gate = new Gate();
    skillAgent(new Script().at(gate).says("0").says("1"));
    var parent = kit.externalSession();
    accepted(parent, 0);
    gate.awaitArrivals(1);

    var second =
        CompletableFuture.supplyAsync(() -> post(parent, 1, "wait=60"), Thread::startVirtualThread);
    awaitTasks(parent, 2);
    gate.open();

    second.join().then().statusCode(200).body("output", equalTo("1"));
  }

  @Test
  void cancelOfTheRunningCommandStartsTheNextOnes() {
    var gate = new Gate();
    skillAgent(new Script().at(gate).says("never").says("1").says("2"));
    var parent = kit.externalSession();
    var tasks = List.of(accepted(parent, 0), accepted(parent, 1), accepted(parent, 2));
    gate.awaitArrivals(1);

    kit.cancel(tasks.getFirst());
    tasks.forEach(kit::awaitEnd);

    assertThat(states(tasks))
        .containsExactly(TaskState.CANCELLED, TaskState.COMPLETED, TaskState.COMPLETED);
    assertThat(children(parent)).hasSize(1);
    assertThat(prompts(parent)).containsExactly("search 0", "search 1", "search 2");
  }

  @Test
  void timeoutOfTheRunningCommandStartsTheNextOne() {
    var gate = new Gate();
    skillAgent(new Script().at(gate).says("never").says("1"));
    var parent = kit.externalSession();
    var tasks = List.of(accepted(parent, 0), accepted(parent, 1));
    gate.awaitArrivals(1);

    kit.tamper("update task set deadline_at = now() where id = ?", tasks.getFirst().value());
    tasks.forEach(kit::awaitEnd);

    assertThat(states(tasks)).containsExactly(TaskState.TIMED_OUT, TaskState.COMPLETED);
  }

  @Test
  void cancelOfAQueuedCommandDoesNotAffectOthers() {
    var gate = new Gate();
    skillAgent(new Script().at(gate).says("0").says("2"));
    var parent = kit.externalSession();
    var tasks = List.of(accepted(parent, 0), accepted(parent, 1), accepted(parent, 2));
    gate.awaitArrivals(1);

    kit.cancel(tasks.get(1));
    gate.open();
    tasks.forEach(kit::awaitEnd);

    assertThat(states(tasks))
        .containsExactly(TaskState.COMPLETED, TaskState.CANCELLED, TaskState.COMPLETED);
    assertThat(kit.look(tasks.get(1)).usage().turns()).isZero();
    assertThat(prompts(parent)).containsExactly("search 0", "search 2");
  }

  @Test
  void cancelOfTheParentCancelsAllQueuedCommands() {
    var gate = new Gate();
    skillAgent(new Script().at(gate).says("never"));
    var parent = kit.session(model -> model.calls(bash(0), bash(1), bash(2)));
    kit.say(parent, "Go.");
    gate.awaitArrivals(1);
    awaitTasks(parent, 3);

    assertThat(kit.cancel(parent)).isEqualTo(3);

    kit.awaitRest(parent);
    assertThat(kit.tasksOf(parent))
        .extracting(task -> task.state())
        .containsOnly(TaskState.CANCELLED);
  }

  @Test
  void deletionOfTheSkillSessionAnswersQueuedCallers() {
    var gate = new Gate();
    skillAgent(new Script().at(gate).says("never"));
    var parent = kit.session(model -> model.calls(bash(0), bash(1)).says("done"));
    kit.say(parent, "Go.");
    gate.awaitArrivals(1);
    awaitTasks(parent, 2);

    given()
        .delete("/v1/sessions/{id}", children(parent).getFirst().toString())
        .then()
        .statusCode(204);
    kit.awaitRest(parent);

    assertThat(kit.toolResults(parent))
        .allSatisfy(result -> assertThat(result.text()).contains("cancelled"))
        .hasSize(2);
  }

  @Test
  void queuedBackgroundTasksCountAgainstTheLimit() {
    var gate = new Gate();
    skillAgent(new Script().at(gate).says("0").says("1").says("2"));
    var parent = kit.externalSession(Map.of("limits", Map.of("max_background_tasks", 1)));

    for (int number = 0; number < 3; number++) {
      post(parent, "task:skill:search --background --prompt 'search " + number + "'", "wait=0")
          .then()
          .statusCode(202);
    }
    gate.awaitArrivals(1);
    gate.open();
    kit.tasksOf(parent).forEach(task -> kit.awaitEnd(task.id()));

    assertOneTranscript(parent, 3);
  }

  @Test
  void modelIsNotifiedThatItsTaskIsQueued() {
    var gate = new Gate();
    skillAgent(new Script().at(gate).says("0").says("1"));
    var parent =
        kit.session(
            model -> model.calls(inBackground(0)).calls(inBackground(1)).saysForever("I wait"));

    kit.say(parent, "Go.");
    gate.awaitArrivals(1);
    awaitTasks(parent, 2);
    gate.open();
    kit.awaitRest(parent);

    assertThat(kit.toolResults(parent))
        .extracting(Content.ToolResult::text)
        .satisfiesExactly(
            first -> assertThat(first).contains("runs in the background", "status: accepted"),
            second -> assertThat(second).contains("queued behind 1 ", "status: accepted"));
  }

  private static Call inBackground(int number) {
    return Call.of("bash", Map.of("command", search(number) + " --background"));
  }

  @Test
  void repeatedKeyReturnsTheQueuedTask() {
    var gate = new Gate();
    skillAgent(new Script().at(gate).says("0").says("1"));
    var parent = kit.externalSession();
    accepted(parent, 0);
    gate.awaitArrivals(1);

    var first = keyed(parent, 1).then().statusCode(202).extract().path("metadata.task_id");
    keyed(parent, 1).then().statusCode(202).body("metadata.task_id", equalTo(first));
    keyed(parent, 2).then().statusCode(422);
    gate.open();

    assertThat(kit.tasksOf(parent)).hasSize(2);
  }

  /** Between the end of a task and the start of the next one, the queue comes first. */
  @Test
  void taskThatNamesTheChildDoesNotJumpTheQueue() {
    var gate = new Gate();
    kit.children(prompt ->
        prompt.equals("dig")
            ? new Script().says("gold")
            : new Script().at(gate).says("0").says("1"));
    var parent = kit.externalSession();
    var child = kit.awaitEnd(kit.submit(parent, "dig")).child();
    accepted(parent, 0);
    var queued = accepted(parent, 1);
    gate.awaitArrivals(1);

    QuarkusTransaction.begin();
    try {
      locks.lock(child);
      kit.tamper("update task set queued_for = ? where id = ?", child.value(), queued.value());
      assertThat(submitter.submit(submission(parent, child), null))
          .isInstanceOfSatisfying(
              SubmitResult.Refused.class,
              refused -> {
                assertThat(refused.reason()).isEqualTo(SubmitResult.RefusalReason.BUSY);
                assertThat(refused.message()).contains("other tasks are queued");
              });
    } finally {
      QuarkusTransaction.rollback();
    }
    gate.open();
  }

  private TaskSubmission submission(SessionId parent, SessionId child) {
    var fields = JsonNodeFactory.instance.objectNode().put("description", "a task");
    fields.put("prompt", "dig on").put("background", true).put("session_id", child.toString());
    return new TaskSubmission(
        parent, new TaskCaller.Client(null, Duration.ZERO, null), TaskSchema.read(fields));
  }

  @Test
  void taskOfAnotherAgentThatNamesACommandOfSkillsIsNotContinued() {
    kit.children(_ -> new Script().saysForever("done"));
    var parent = kit.externalSession();
    var other =
        kit.awaitEnd(kit.submit(parent, "dig", Map.of("command", "task:skill:search anything")));

    var search = kit.awaitEnd(accepted(parent, 0));

    assertThat(search.child()).isNotEqualTo(other.child());
    assertThat(kit.look(search.child()).agent()).isEqualTo("skill");
  }

  @Test
  void turnsOfACommandAreNotThoseOfLaterCommands() {
    skillAgent(new Script().saysForever("done"));
    var parent = kit.externalSession();
    var byDefault = kit.awaitEnd(accepted(parent, 0)).maxTurns();
    post(parent, search(1) + " --max-turns 3", "wait=0")
        .then()
        .statusCode(either(is(202)).or(is(200)));
    kit.awaitRest(parent);

    accepted(parent, 2);
    kit.awaitRest(parent);

    assertThat(kit.tasksOf(parent))
        .extracting(Task::maxTurns)
        .containsExactly(byDefault, 3, byDefault);
    assertThat(kit.look(children(parent).getFirst()).maxTurns()).isEqualTo(byDefault);
  }

  private void assertOneTranscript(SessionId parent, int tasks) {
    assertThat(children(parent)).hasSize(1);
    assertThat(kit.outline(children(parent).getFirst()))
        .containsExactlyElementsOf(
            Collections.nCopies(tasks, List.of("user", "assistant")).stream()
                .flatMap(List::stream)
                .toList());
  }

  /** The prompts of the skill agent, in order. */
  private List<String> prompts(SessionId parent) {
    return kit.transcript(children(parent).getFirst()).stream()
        .filter(message -> message.role() == MessageRole.USER)
        .map(message -> message.text().substring(message.text().lastIndexOf("search ")))
        .toList();
  }

  private List<TaskState> states(List<TaskId> tasks) {
    return tasks.stream().map(kit::look).map(task -> task.state()).toList();
  }

  private List<SessionId> children(SessionId parent) {
    return kit.tasksOf(parent).stream().map(Task::child).distinct().toList();
  }

  private void awaitTasks(SessionId parent, int number) {
    await("tasks are accepted").until(() -> kit.tasksOf(parent).size() == number);
  }

  private void skillAgent(Script script) {
    kit.children(_ -> script);
  }

  private static Call bash(int number) {
    return Call.of("bash", Map.of("command", search(number)));
  }

  private static String search(int number) {
    return "task:skill:search --prompt 'search " + number + "'";
  }

  /** A task that ends at once is answered with its result. */
  private static TaskId accepted(SessionId parent, int number) {
    var id =
        post(parent, number, "wait=0")
            .then()
            .statusCode(either(is(202)).or(is(200)))
            .extract()
            .<String>path("metadata.task_id");
    return TaskId.parse(id).orElseThrow();
  }

  private static HttpAnswer post(SessionId parent, int number, String prefer) {
    return post(parent, search(number), prefer);
  }

  private static HttpAnswer keyed(SessionId parent, int number) {
    return TaskKit.patiently(() ->
        given()
            .header("Idempotency-Key", "queue-" + parent)
            .contentType("application/json")
            .header("Prefer", "wait=0")
            .body(Map.of("command", search(number)))
            .post("/v1/sessions/{id}/commands", parent.toString()));
  }

  private static HttpAnswer post(SessionId parent, String command, String prefer) {
    return TaskKit.patiently(() ->
        given()
            .contentType("application/json")
            .header("Prefer", prefer)
            .body(Map.of("command", command))
            .post("/v1/sessions/{id}/commands", parent.toString()));
  }
}
