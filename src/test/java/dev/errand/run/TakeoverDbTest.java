package dev.errand.run;

import static dev.errand.kit.WebhookReceiver.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.errand.conversation.Content;
import dev.errand.conversation.SessionId;
import dev.errand.hook.HookKit;
import dev.errand.kit.Gate;
import dev.errand.kit.Script;
import dev.errand.kit.Script.Call;
import dev.errand.kit.StallTool;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.kit.WebhookReceiver;
import dev.errand.model.ModelRequest;
import dev.errand.node.Node;
import dev.errand.session.CallKey;
import dev.errand.session.Lease;
import dev.errand.session.LeaseLost;
import dev.errand.session.ModelCall;
import dev.errand.session.OpenCall;
import dev.errand.session.SessionState;
import dev.errand.session.ToolCallState;
import dev.errand.task.StopReason;
import dev.errand.task.TaskState;
import dev.errand.worktree.ChangeStore.WorktreeChange;
import dev.errand.worktree.OwedChanges;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@QuarkusTest
class TakeoverDbTest implements Story {

  @Inject TaskKit kit;
  @Inject StallTool stall;
  @Inject HookKit hooks;
  @Inject Handovers handovers;
  @Inject TurnTransactions turns;
  @Inject ToolRunner tools;
  @Inject Node node;
  @Inject OwedChanges changes;

  @Test
  void sessionThatIsTakenOverContinuesFromTheLastSavedTurn() {
    var gate = new Gate();
    var script =
        kit.child(
            "dig", model -> model.calls("list", Map.of()).at(gate).says("lost").thenSays("gold"));
    var task = kit.submit(kit.externalSession(), "dig");
    gate.awaitArrivals(1);
    var child = kit.look(task).child();
    var epoch = epoch(child.value());

    takeOver(child);
    gate.awaitInterrupt();
    var ended = kit.awaitEnd(task);

    assertThat(epoch(child.value())).isGreaterThanOrEqualTo(epoch + 2);
    assertThat(ended.outcome().orElseThrow().result()).isEqualTo("gold");
    assertThat(kit.takeovers(task)).isEqualTo(1);
    assertThat(ended.attempts()).isEqualTo(1);
    var reported =
        "select data ->> 'reason' from event where type = 'session.taken_over' and session_id = '%s'"
            .formatted(child.value());
    assertThat(kit.row(reported, String.class)).isEqualTo("test");
    assertThat(kit.modelEvents(child))
        .isEqualTo("started 1, ended 1, started 1, ended 1 taken_over, started 1, ended 1");
    assertThat(kit.outline(child)).containsExactly("user", "assistant: list", "tool", "assistant");
    assertThat(script.requests()).hasSize(3);
  }

  @Test
  void agentWhoseClosingAnswerIsLostIsAskedAgainAndThenNoMore() {
    var gate = new Gate();
    var list = Call.of("list", Map.of());
    var script =
        kit.child(
            "dig",
            model ->
                model.saysAndCalls("I see gold", list).says("").at(gate).says("lost").says(""));
    var task = kit.submit(kit.externalSession(), "dig");
    gate.awaitArrivals(1);

    takeOver(kit.look(task).child());
    gate.awaitInterrupt();
    var outcome = kit.awaitEnd(task).outcome().orElseThrow();

    assertThat(outcome.stopReason()).isEqualTo(StopReason.NO_ANSWER);
    assertThat(outcome.result()).isEqualTo("I see gold");
    assertThat(script.requests())
        .extracting(ModelRequest::closing)
        .containsExactly(false, false, true, true);
    assertThat(kit.modelEvents(kit.look(task).child()))
        .isEqualTo(
            "started 1, ended 1, started 1, ended 1, started 1, ended 1 taken_over, started 1, ended 1");
  }

  @Test
  void summaryThatWasSavedIsUsedAfterATakeoverAndOneThatWasNotIsMadeAgain() {
    var gate = new Gate();
    var root =
        kit.session(model -> {
          for (int turn = 0; turn < 11; turn++) {
            var tool = turn % 2 == 0 ? "todoread" : "list";
            model.saysAndCalls("x".repeat(40_000), Call.of(tool, Map.of()));
          }
          model.at(gate).says("lost").thenSays("done");
          model.at(gate).summarises("lost").summarises("what was said");
        });
    kit.say(root, "Think.");

    gate.awaitArrivals(1);
    takeOver(root);
    gate.awaitInterrupt();
    gate.awaitArrivals(1);
    takeOver(root);
    gate.awaitInterrupt();
    kit.awaitRest(root);

    assertThat(kit.script(root).summaryRequests()).hasSize(2);
    assertThat(kit.requests(root).getLast().conversation().get(1).text()).contains("what was said");
    assertThat(kit.transcript(root).getLast().text()).isEqualTo("done");
  }

  /** One second is left of an hour; with a new clock the task would run for another hour. */
  @Test
  void timeOutOfATaskIsNotRestartedByATakeover() {
    var gate = new Gate();
    var second = new Gate();
    kit.child("dig", model -> model.at(gate).says("lost").at(second).says("late"));
    var task = kit.submit(kit.externalSession(), "dig", Map.of("timeout_ms", 3_600_000));
    gate.awaitArrivals(1);
    var child = kit.look(task).child();

    // In one transaction, because the second may be over at once.
    QuarkusTransaction.requiringNew()
        .run(() -> {
          takeOver(child);
          kit.tamper(
              """
              update task set started_at = started_at - interval '3599 s', deadline_at = deadline_at - interval '3599 s'
              where id = ?
              """,
              task.value());
        });
    gate.awaitInterrupt();
    var ended = kit.awaitEnd(task);

    assertThat(kit.takeovers(task)).isEqualTo(1);
    assertThat(ended.state()).isEqualTo(TaskState.TIMED_OUT);
    assertThat(ended.runMs()).isBetween(3_600_000L, 3_700_000L);
  }

  /** Attempts and takeovers are counted separately. */
  @Test
  void lossOfAWorkerIsNotAFailedAttempt() {
    var gate = new Gate();
    kit.child("dig", model -> model.failsAttempt().at(gate).says("lost").thenSays("gold"));
    var task = kit.submit(kit.externalSession(), "dig");
    gate.awaitArrivals(1);

    takeOver(kit.look(task).child());
    gate.awaitInterrupt();
    var ended = kit.awaitEnd(task);

    assertThat(ended.state()).isEqualTo(TaskState.COMPLETED);
    assertThat(ended.attempts()).isEqualTo(2);
    assertThat(kit.takeovers(task)).isEqualTo(1);
  }

  @Test
  void taskThatLosesThreeWorkersInSuccessionFailsAndTheParentIsNotified() {
    var gate = new Gate();
    var parent = kit.externalSession();
    kit.child("dig", model -> model.at(gate).says("a").at(gate).says("b").at(gate).says("c"));
    var task = kit.submit(parent, "dig");
    var child = kit.look(task).child();

    for (int lost = 0; lost < 3; lost++) {
      gate.awaitArrivals(1);
      takeOver(child);
      gate.awaitInterrupt();
    }
    kit.awaitRest(parent);

    var ended = kit.look(task);
    assertThat(ended.state()).isEqualTo(TaskState.FAILED);
    assertThat(kit.takeovers(task)).isEqualTo(3);
    assertThat(ended.outcome().orElseThrow().error())
        .satisfies(error -> assertThat(error.code()).isEqualTo("worker_lost"));
    assertThat(kit.outline(parent)).containsExactly("notice");
    assertThat(kit.transcript(parent).getFirst().text()).contains("worker_lost");
  }

  @Test
  void taskThatLosesItsWorkersInAWorktreeEndsWithItsPatch(@TempDir Path folder) throws Exception {
    var repository = folder.toRealPath().toString();
    assertThat(new ProcessBuilder("git", "init", "-q", repository).start().waitFor()).isZero();
    var gate = new Gate();
    var write = Call.of("write", Map.of("file_path", "b.txt", "content", "b\n"));
    kit.child(
        "dig",
        model -> model.calls(write).at(gate).says("a").at(gate).says("b").at(gate).says("c"));
    var parent = kit.externalSession(Map.of("workspace", repository));
    var task = kit.submit(parent, "dig", Map.of("isolation", "worktree"));
    var child = kit.look(task).child();

    for (int lost = 0; lost < 3; lost++) {
      gate.awaitArrivals(1);
      changes.around(() -> takeOver(child));
      gate.awaitInterrupt();
    }

    assertThat(kit.awaitEnd(task).state()).isEqualTo(TaskState.FAILED);
    assertThat(Objects.requireNonNull(kit.look(task).changes()).files())
        .containsExactly(new WorktreeChange.ChangedFile("b.txt", "added"));
  }

  @Test
  void savedTurnResetsTheNumberOfLostWorkers() {
    var gate = new Gate();
    kit.child(
        "dig",
        model ->
            model
                .at(gate)
                .says("lost")
                .at(gate)
                .says("lost")
                .calls("list", Map.of())
                .at(gate)
                .says("lost")
                .thenSays("gold"));
    var task = kit.submit(kit.externalSession(), "dig");
    var child = kit.look(task).child();

    for (int lost = 0; lost < 3; lost++) {
      gate.awaitArrivals(1);
      takeOver(child);
      gate.awaitInterrupt();
    }

    assertThat(kit.awaitEnd(task).state()).isEqualTo(TaskState.COMPLETED);
  }

  @Test
  void hostedSessionThatLosesThreeWorkersGetsASystemMessage() {
    var gate = new Gate();
    var parent =
        kit.session(model -> model.at(gate).says("a").at(gate).says("b").at(gate).says("c"));
    kit.say(parent, "Dig.");

    for (int lost = 0; lost < 3; lost++) {
      gate.awaitArrivals(1);
      takeOver(parent);
      gate.awaitInterrupt();
    }
    kit.awaitRest(parent);

    assertThat(kit.outline(parent)).containsExactly("user", "system");
  }

  /** The checks of a node run in several threads, and several nodes may find the same dead one. */
  @Test
  void runThatOwnsTheSessionSinceATakeoverKeepsItFromASecondOne() {
    var gate = new Gate();
    kit.child("dig", model -> model.at(gate).says("lost").at(gate).says("gold"));
    var task = kit.submit(kit.externalSession(), "dig");
    gate.awaitArrivals(1);
    var first = lease(kit.look(task).child());
    handovers.takeOver(first, node.id(), "test");
    gate.awaitInterrupt();
    gate.awaitArrivals(1);
    var second = lease(first.session());

    handovers.takeOver(first, node.id(), "test");
    handovers.release(first);

    assertThat(lease(first.session())).isEqualTo(second);
    gate.open();
    assertThat(kit.awaitEnd(task).state()).isEqualTo(TaskState.COMPLETED);
    assertThat(kit.takeovers(task)).isEqualTo(1);
  }

  @Test
  void runThatHasLostItsSessionReportsNoRefusedCall() {
    var gate = new Gate();
    kit.child("dig", model -> model.at(gate).says("lost").at(gate).says("gold"));
    var task = kit.submit(kit.externalSession(), "dig");
    gate.awaitArrivals(1);
    var lost = new Run(lease(kit.look(task).child()), Duration.ofMinutes(1), () -> true);
    lost.calls(ModelCall.first(1, "scripted:none"));
    takeOver(lost.lease().session());
    gate.awaitInterrupt();
    gate.awaitArrivals(1);

    assertThatThrownBy(() -> turns.refused(lost, "model_context_exceeded"))
        .isInstanceOf(LeaseLost.class);

    gate.open();
    kit.awaitEnd(task);
    assertThat(kit.modelEvents(lost.lease().session()))
        .isEqualTo("started 1, ended 1 taken_over, started 1, ended 1");
  }

  /** The lease of the node may be valid in the database for some seconds more. */
  @Test
  void nodeThatMayNotRelyOnItsLeaseStartsNoToolCall() {
    var gate = new Gate();
    kit.child("dig", model -> model.at(gate).says("gold"));
    var task = kit.submit(kit.externalSession(), "dig");
    gate.awaitArrivals(1);
    var child = kit.look(kit.look(task).child());
    kit.tamper(
        """
        insert into tool_call (session_id, message_seq, idx, call_id, name, title, effect, epoch)
        select id, 1, 0, '1', 'todoread', 'todoread', 'pure', epoch from session where id = ?
        """,
        child.id().value());
    var asked = new Content.ToolCall("1", "todoread", JsonNodeFactory.instance.objectNode());
    var call = new OpenCall(new CallKey(1, 0), asked, ToolCallState.PLANNED, true);
    var run = new Run(lease(child.id()), Duration.ofMinutes(1), () -> false);

    assertThatThrownBy(
            () -> tools.run(new ToolRunner.Shift(run.lease(), child, run), List.of(call)))
        .isInstanceOf(LeaseLost.class);

    var state = "select state from tool_call where session_id = '" + child.id().value() + "'";
    assertThat(kit.row(state, String.class)).isEqualTo("planned");
    kit.tamper("delete from tool_call where session_id = ?", child.id().value());
    gate.open();
    assertThat(kit.awaitEnd(task).state()).isEqualTo(TaskState.COMPLETED);
  }

  /** The claim and the first turn boundary are one transaction, which the entry rolls back. */
  @Test
  void sessionWithAnUnreadableEntryIsNotClaimedForEver() {
    var root = kit.session(model -> model.says("Good morning."));
    kit.tamper(
        """
        insert into inbox (id, session_id, kind, body)
        values (gen_random_uuid(), ?, 'message', '{"kind": "message", "text": [1]}')
        """,
        root.value());
    kit.say(root, "Hello?");

    // On a busy machine the service also takes it over, when it was quiet for 5 s.
    await()
        .until(() -> {
          takeOver(root);
          return kit.look(root).state() == SessionState.IDLE;
        });
    kit.awaitRest(root);
    kit.say(root, "Good morning!");
    kit.awaitRest(root);

    assertThat(kit.outline(root)).containsExactly("user", "system", "user", "assistant");
    kit.tamper("delete from inbox where session_id = ?", root.value());
  }

  @Test
  void hookIsAskedAgainAboutTheSameCall() {
    try (var receiver = new WebhookReceiver()) {
      receiver.answers(status(200).withDelay(Duration.ofSeconds(60)), status(200));
      hooks.configure(
          Map.of(
              "guard.url", receiver.url(),
              "guard.events", "tool.before",
              "guard.timeout", "60s",
              "guard.tools", "list"));
      kit.child("dig", model -> model.calls("list", Map.of()).thenSays("gold"));
      var task = kit.submit(kit.externalSession(), "dig");
      receiver.awaitPosts(1);

      takeOver(kit.look(task).child());
      var ended = kit.awaitEnd(task);

      assertThat(ended.state()).isEqualTo(TaskState.COMPLETED);
      assertThat(receiver.posts()).hasSize(2);
      assertThat(receiver.posts().getLast().header("webhook-id"))
          .isEqualTo(receiver.posts().getFirst().header("webhook-id"));
    } finally {
      hooks.clear();
    }
  }

  @Test
  void callWithSideEffectsOfALostWorkerIsNotRepeated() {
    var gate = new Gate();
    stall.waitAt(gate);
    kit.child("push", model -> model.calls("stall", Map.of()).thenSays("verified"));
    var task = kit.submit(kit.externalSession(), "push");
    gate.awaitArrivals(1);
    var child = kit.look(task).child();

    takeOver(child);
    gate.awaitInterrupt();
    gate.open();
    kit.awaitEnd(task);

    assertThat(gate.passed()).isZero();
    assertThat(kit.toolResults(child))
        .singleElement()
        .satisfies(result -> assertThat(result.text()).contains("outcome is unknown"));
  }

  /**
   * The id of the call is the idempotency key of the command, so the call may be repeated
   * (architecture, rule 9).
   */
  @Test
  void commandOfALostWorkerIsExecutedOnce() {
    var gate = new Gate();
    kit.children(_ -> new Script().at(gate).says("one").says("two"));
    var search =
        Script.Call.of("bash", Map.of("command", "task:skill:search --prompt x --max-turns 5"));
    var parent = kit.session(model -> model.calls(search, search).says("done"));
    kit.say(parent, "Go.");
    gate.awaitArrivals(1);

    takeOver(parent);
    gate.open();
    kit.awaitRest(parent);

    assertThat(kit.toolResults(parent))
        .hasSize(2)
        .allSatisfy(result -> assertThat(result.text()).contains("<task_metadata>"));
    assertThat(kit.tasksOf(parent)).hasSize(2);
    assertThat(kit.tasksOf(parent).getLast().child()).isEqualTo(kit.childOf(parent));
  }

  /** Takes the session from the run that owns it now. */
  private void takeOver(SessionId session) {
    handovers.takeOver(lease(session), node.id(), "test");
  }

  private Lease lease(SessionId session) {
    return new Lease(session, epoch(session.value()));
  }

  private long epoch(UUID session) {
    return kit.row("select epoch from session where id = '" + session + "'", Long.class);
  }
}
