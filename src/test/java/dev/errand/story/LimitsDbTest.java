package dev.errand.story;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.kit.Gate;
import dev.errand.kit.HttpAnswer;
import dev.errand.kit.Script;
import dev.errand.kit.Script.Call;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.session.Lease;
import dev.errand.session.Leases;
import dev.errand.session.SessionState;
import dev.errand.task.SubmitResult;
import dev.errand.task.TaskCaller;
import dev.errand.task.TaskSchema;
import dev.errand.task.TaskSubmission;
import dev.errand.task.TaskSubmitter;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Limits of depth and number of delegations, and the errors when they are reached. */
@QuarkusTest
class LimitsDbTest implements Story {

  private static final String DEPTH_1 = "the depth limit of 1 is reached; do the work yourself";

  @Inject TaskKit kit;
  @Inject Leases leases;
  @Inject TaskSubmitter submitter;

  @Test
  void childAtTheDepthLimitGetsAnErrorAndDoesTheWorkItself() {
    kit.child(
        "dig", model -> model.says("ready").callsTask("dig deeper").thenSays("dug it myself"));
    var parent = kit.limitedSession(Map.of("max_depth", 1));
    var child = kit.awaitEnd(kit.submit(parent, "dig")).child();
    allowDelegation(child);

    var task = kit.awaitEnd(kit.submit(parent, "go", Map.of("session_id", child.toString())));

    assertThat(task.outcome().orElseThrow().result()).isEqualTo("dug it myself");
    assertThat(kit.toolResults(child))
        .singleElement()
        .satisfies(
            result -> assertThat(result.isError()).isTrue(),
            result -> assertThat(result.text()).isEqualTo("Not delegated: " + DEPTH_1));
    assertThat(kit.tasksOf(child)).isEmpty();
  }

  @Test
  void submissionBelowTheDepthLimitIsRefused() {
    var gate = new Gate();
    kit.child("dig", model -> model.at(gate).says("ready"));
    var parent = kit.limitedSession(Map.of("max_depth", 1));
    var child = kit.look(kit.submit(parent, "dig")).child();
    gate.awaitArrivals(1);
    allowDelegation(child);

    post(child, "dig deeper", true)
        .then()
        .statusCode(422)
        .body("errors[0].field", is("parent_session_id"))
        .body("errors[0].message", is(DEPTH_1));
    assertThat(delegations(parent)).isEqualTo(1);
    gate.open();
  }

  @Test
  void capOfTheServiceLimitsASessionThatWasOpenedBefore() {
    var gate = new Gate();
    kit.child("dig", model -> model.at(gate).says("ready"));
    var parent = kit.externalSession();
    kit.tamper("update tree set max_depth = 100 where root_id = ?", parent.value());
    var child = kit.look(kit.submit(parent, "dig")).child();
    gate.awaitArrivals(1);
    allowDelegation(child);
    kit.tamper("update session set depth = 20 where id = ?", child.value());

    post(child, "dig deeper", true)
        .then()
        .statusCode(422)
        .body("errors[0].message", containsString("the depth limit of 20 is reached"));
    kit.tamper("update session set depth = 1 where id = ?", child.value());
    gate.open();
  }

  @Test
  void depthLimitOfZeroRefusesAllDelegation() {
    var parent =
        kit.session(
            Map.of("limits", Map.of("max_depth", 0)),
            model -> model.callsTask("dig").thenSays("alone then"));

    kit.say(parent, "Dig.");
    kit.awaitRest(parent);

    assertThat(kit.toolResults(parent).getFirst().text()).contains("depth limit of 0");
    assertThat(kit.transcript(parent).getLast().text()).isEqualTo("alone then");
  }

  @Test
  void firstDelegationUsesUpABudgetOfOne() {
    kit.child("one", model -> model.says("1"));
    kit.child("two", model -> model.says("2"));
    var parent =
        kit.session(
            Map.of("limits", Map.of("max_delegations", 1)),
            model -> model.calls(Call.task("one"), Call.task("two")).thenSays("one will do"));

    kit.say(parent, "Do two things.");
    kit.awaitRest(parent);

    assertThat(kit.toolResults(parent))
        .filteredOn(result -> result.isError())
        .singleElement()
        .satisfies(result ->
            assertThat(result.text())
                .startsWith("Not delegated: the limit of 1 delegations ")
                .endsWith("do the work yourself"));
    assertThat(kit.tasksOf(parent)).hasSize(1);
  }

  @Test
  void actOfTheUserRenewsTheBudgetButNotTheOneForTheWholeLife() {
    var gate = new Gate();
    kit.child("one", model -> model.at(gate).says("done"));
    kit.children(prompt -> new Script().says("done: " + prompt));
    var parent =
        kit.session(
            Map.of("limits", Map.of("max_delegations", 1, "max_delegations_total", 4)),
            model ->
                model
                    .callsTaskInBackground("one")
                    .says("wait")
                    .callsTask("too many")
                    .says("enough")
                    .callsTask("two")
                    .saysAndCalls("one more", Call.task("too many"))
                    .says("enough again")
                    .saysForever("I see"));

    kit.say(parent, "Do it.");
    kit.awaitState(parent, SessionState.IDLE);
    gate.open();
    kit.awaitRest(parent);
    assertThat(kit.toolResults(parent).getLast().text())
        .as("a notice does not renew the budget")
        .isEqualTo(
            "Not delegated: the limit of 1 delegations for the root session and all below it is"
                + " used up until the next user message; do the work yourself");
    kit.say(parent, "And again.");
    kit.awaitRest(parent);
    assertThat(kit.toolResults(parent).subList(2, 4))
        .extracting(result -> result.isError())
        .containsExactly(false, true);

    kit.awaitEnd(kit.submit(parent, "three"));
    kit.awaitEnd(kit.submit(parent, "four"));
    kit.awaitRest(parent);
    post(parent, "five", true)
        .then()
        .statusCode(422)
        .body("errors[0].message", containsString("limit of 4 delegations in the whole life"));
  }

  @Test
  void continuationCountsAsADelegation() {
    kit.child("dig", model -> model.says("dug"));
    var parent = kit.limitedSession(Map.of("max_delegations_total", 1));
    var child = kit.awaitEnd(kit.submit(parent, "dig")).child();

    var more = new HashMap<String, Object>(body(parent, "more", true));
    more.put("session_id", child.toString());

    kit.post(more)
        .then()
        .statusCode(422)
        .body("errors[0].message", containsString("limit of 1 delegations in the whole life"));
    kit.awaitRest(parent);
    assertThat(kit.outline(child)).containsExactly("user", "assistant");
  }

  @Test
  void wholeTreeSharesOneBudget() {
    var gate = new Gate();
    kit.child("dig", model -> model.at(gate).says("dug").saysForever("dug"));
    kit.child("dig deeper", model -> model.says("dug deeper"));
    var parent = kit.limitedSession(Map.of("max_delegations_total", 2));
    var child = kit.look(kit.submit(parent, "dig")).child();
    gate.awaitArrivals(1);
    allowDelegation(child);
    kit.awaitEnd(kit.awaitTask(after(post(child, "dig deeper", false), child)));

    post(parent, "dig on", true)
        .then()
        .statusCode(422)
        .body("errors[0].message", containsString("limit of 2 delegations"));
    gate.open();
  }

  @Test
  void refusedSubmissionUsesNoBudgetAndLeavesNoRows() {
    kit.child("dig", model -> model.says("dug"));
    var parent = kit.limitedSession(Map.of("max_delegations", 1, "max_background_tasks", 0));

    post(parent, "dig", true).then().statusCode(422);
    assertThat(delegations(parent)).isZero();
    assertThat(kit.tasksOf(parent)).isEmpty();
    assertThat(children(parent)).isZero();

    post(parent, "dig", false).then().statusCode(200).body("output", is("dug"));
    assertThat(delegations(parent)).isEqualTo(1);
  }

  @Test
  void repeatedSubmissionCountsOnce() {
    kit.child("dig", model -> model.says("dug"));
    var parent = kit.limitedSession(Map.of("max_delegations", 1));

    for (int time = 0; time < 3; time++) {
      given()
          .header("Idempotency-Key", parent + "-1")
          .contentType("application/json")
          .body(body(parent, "dig", true))
          .post("/v1/tasks")
          .then()
          .statusCode(202);
    }
    assertThat(delegations(parent)).isEqualTo(1);
  }

  @Test
  void repeatedToolCallGetsItsTaskAlsoWhenNoFurtherOneIsPossible() {
    kit.child("dig", model -> model.says("dug"));
    var lease = leases.claimed();
    var parent = lease.session();
    kit.tamper("update tree set max_delegations = 1 where root_id = ?", parent.value());

    var first = delegate(lease, "general");
    var again = delegate(lease, "general");
    var impossible = delegate(lease, "unknown");

    assertThat(List.of(again, impossible)).containsOnly(first);
    assertThat(kit.awaitEnd(first).outcome().orElseThrow().result()).isEqualTo("dug");
    assertThat(delegations(parent)).isEqualTo(1);
    assertThat(children(parent)).isEqualTo(1);
  }

  /** The same tool call of a run each time. */
  private TaskId delegate(Lease run, String agent) {
    var fields = JsonNodeFactory.instance.objectNode().put("description", "a task");
    var request = TaskSchema.read(fields.put("prompt", "dig").put("subagent_type", agent));
    var call = new TaskCaller.ParentCall("2.0", run.epoch());
    var result = submitter.submit(new TaskSubmission(run.session(), call, request), null);
    return ((SubmitResult.Accepted) result).task().id();
  }

  /** Children may not delegate by default; gives this child the rights of its root. */
  private void allowDelegation(SessionId child) {
    kit.tamper(
        "update session set grants = (select grants from session root where root.id = session.root_id) where id = ?",
        child.value());
  }

  private static SessionId after(HttpAnswer ended, SessionId parent) {
    ended.then().statusCode(200);
    return parent;
  }

  private HttpAnswer post(SessionId parent, String prompt, boolean background) {
    return kit.post(body(parent, prompt, background));
  }

  private static Map<String, ?> body(SessionId parent, String prompt, boolean background) {
    return Map.of(
        "parent_session_id",
        parent.toString(),
        "description",
        "a task",
        "prompt",
        prompt,
        "background",
        background);
  }

  private int delegations(SessionId root) {
    return kit.row(
        "select delegations from tree where root_id = '" + root.value() + "'", Integer.class);
  }

  private int children(SessionId parent) {
    return kit.row(
        "select count(*) from session where parent_id = '" + parent.value() + "'", Integer.class);
  }
}
