package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.endsWith;
import static org.hamcrest.Matchers.is;

import dev.errand.conversation.Content;
import dev.errand.conversation.SessionId;
import dev.errand.kit.Gate;
import dev.errand.kit.HttpAnswer;
import dev.errand.kit.Script.Call;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.session.SessionState;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Children that continue with another task. */
@QuarkusTest
class ContinuationDbTest implements Story {

  @Inject TaskKit kit;

  @Test
  void continuedChildHasItsWholeTranscript() {
    var child = kit.child("find flights", model -> model.says("LH 123").thenSays("at noon"));
    var parent = kit.externalSession();
    var first = kit.awaitEnd(kit.submit(parent, "find flights"));

    var second =
        kit.awaitEnd(kit.submit(parent, "when?", Map.of("session_id", first.child().toString())));

    assertThat(second.child()).isEqualTo(first.child());
    assertThat(second.outcome().orElseThrow().result()).isEqualTo("at noon");
    assertThat(child.requests().getLast().conversation())
        .extracting(message -> message.text())
        .containsExactly("find flights", "LH 123", "when?");
    assertThat(second.usage().turns()).isEqualTo(1);
  }

  @Test
  void hostedParentContinuesItsChildByTaskId() {
    kit.child("find flights", model -> model.says("LH 123").thenSays("at noon"));
    var parent = kit.session(model -> model.callsTask("find flights").thenSays("found one"));
    kit.say(parent, "Find a flight.");
    kit.awaitRest(parent);

    var task = kit.awaitTask(parent).toString();
    kit.script(parent)
        .calls("task", Map.of("description", "ask", "prompt", "when?", "task_id", task))
        .thenSays("at noon");
    kit.say(parent, "When?");
    kit.awaitRest(parent);

    assertThat(kit.toolResults(parent)).hasSize(2);
    assertThat(kit.toolResults(parent).getLast().text()).startsWith("at noon");
    assertThat(kit.outline(kit.childOf(parent)))
        .containsExactly("user", "assistant", "user", "assistant");
  }

  @Test
  void childOfAnotherParentIsRefused() {
    kit.child("find flights", model -> model.says("LH 123"));
    var otherTask = kit.awaitEnd(kit.submit(kit.externalSession(), "find flights"));
    var parent = kit.externalSession();

    post(parent, otherTask.child())
        .then()
        .statusCode(400)
        .body("errors[0].field", is("session_id"))
        .body("errors[0].message", containsString("there is no child session"));
    assertThat(kit.tasksOf(parent)).isEmpty();
  }

  @Test
  void ownIdIsRefusedWithTheIdsOfTheFiveLatestChildren() {
    kit.child("find flights", model -> model.saysForever("LH 123"));
    var parent = kit.externalSession();
    var children = new ArrayList<String>();
    post(parent, parent)
        .then()
        .statusCode(400)
        .body("errors[0].field", is("session_id"))
        .body("errors[0].message", containsString("it has none yet"));

    for (int number = 0; number < 6; number++) {
      children.addFirst(kit.awaitEnd(kit.submit(parent, "find flights")).child().toString());
    }

    post(parent, parent)
        .then()
        .statusCode(400)
        .body(
            "errors[0].message",
            endsWith("name the child to continue: " + String.join(", ", children.subList(0, 5))));
  }

  @Test
  void modelThatNamesAChildOfAnotherParentGetsAnErrorAndContinues() {
    kit.child("find flights", model -> model.says("LH 123"));
    var otherChild = kit.awaitEnd(kit.submit(kit.externalSession(), "find flights")).child();
    var parent =
        kit.session(model ->
            model
                .calls(
                    "task",
                    Map.of(
                        "description", "spy", "prompt", "spy", "session_id", otherChild.toString()))
                .thenSays("never mind"));

    kit.say(parent, "Spy.");
    kit.awaitRest(parent);

    assertThat(kit.toolResults(parent))
        .singleElement()
        .satisfies(
            result -> assertThat(result.isError()).isTrue(),
            result -> assertThat(result.text()).contains("session_id"));
    assertThat(kit.outline(otherChild)).containsExactly("user", "assistant");
  }

  @Test
  void busyChildIsRefused() {
    var gate = new Gate();
    kit.child("find flights", model -> model.at(gate).says("LH 123"));
    var parent = kit.externalSession();
    var task = kit.submit(parent, "find flights");
    gate.awaitArrivals(1);

    post(parent, kit.look(task).child())
        .then()
        .statusCode(409)
        .body("errors[0].message", containsString(task.toString()));
    gate.open();
  }

  /** Its run would read the prompt as a further message, and the task would never begin. */
  @Test
  void childThatAnswersAMessageOfAClientIsRefused() {
    var gate = new Gate();
    kit.child("find flights", model -> model.says("LH 123").at(gate).says("at noon"));
    var parent = kit.externalSession();
    var child = kit.awaitEnd(kit.submit(parent, "find flights")).child();
    kit.awaitRest(parent);
    kit.say(child, "When?");
    gate.awaitArrivals(1);

    post(parent, child)
        .then()
        .statusCode(409)
        .body("errors[0].message", containsString("the child session is busy"));

    gate.open();
    kit.awaitRest(parent);
    assertThat(kit.tasksOf(parent)).hasSize(1);
    assertThat(kit.outline(child)).containsExactly("user", "assistant", "user", "assistant");
  }

  @Test
  void exactlyOneOfSeveralConcurrentContinuationsIsAccepted() throws Exception {
    var gate = new Gate();
    kit.child("find flights", model -> model.says("LH 123").at(gate).says("at noon"));
    var parent = kit.externalSession();
    var child = kit.awaitEnd(kit.submit(parent, "find flights")).child();
    kit.awaitRest(parent);

    try (var threads = Executors.newFixedThreadPool(4)) {
      var all =
          threads.invokeAll(
              IntStream.range(0, 4)
                  .<Callable<Integer>>mapToObj(_ -> () -> post(parent, child).statusCode())
                  .toList());
      assertThat(all.stream().map(answer -> answer.resultNow()))
          .containsExactlyInAnyOrder(202, 409, 409, 409);
    }
    gate.open();
    kit.awaitRest(parent);
  }

  @Test
  void twoCallsOfOneMessageCannotContinueTheSameChild() {
    var gate = new Gate();
    kit.child("find flights", model -> model.says("LH 123").at(gate).says("at noon"));
    var parent = kit.session(model -> model.callsTask("find flights").thenSays("found one"));
    kit.say(parent, "Find a flight.");
    kit.awaitRest(parent);

    var again =
        Call.of(
            "task",
            Map.of(
                "description",
                "ask",
                "prompt",
                "when?",
                "session_id",
                kit.childOf(parent).toString()));
    kit.script(parent).calls(again, again).thenSays("one of them answered");
    kit.say(parent, "When?");
    gate.awaitArrivals(1);
    kit.awaitState(parent, SessionState.WAITING);
    gate.open();
    kit.awaitRest(parent);

    var results = kit.toolResults(parent);
    assertThat(results.subList(1, 3))
        .extracting(Content.ToolResult::isError)
        .containsExactlyInAnyOrder(true, false);
    assertThat(results.subList(1, 3))
        .anySatisfy(result -> assertThat(result.text()).contains("session_id"));
  }

  private HttpAnswer post(SessionId parent, SessionId child) {
    return kit.post(
        Map.of(
            "parent_session_id",
            parent.toString(),
            "session_id",
            child.toString(),
            "description",
            "more",
            "prompt",
            "more",
            "background",
            true));
  }
}
