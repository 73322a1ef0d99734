package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.model.ModelException.Code;
import dev.errand.session.SessionState;
import dev.errand.task.TaskOutcome;
import dev.errand.task.TaskState;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import org.junit.jupiter.api.Test;

/** Failures of model calls. */
@QuarkusTest
class ModelFailureDbTest implements Story {

  @Inject TaskKit kit;

  @Test
  void transientFailureIsRetriedWithinTheRun() {
    var child =
        kit.child(
            "ask",
            model -> model.fails(Code.MODEL_UNAVAILABLE).fails(Code.MODEL_TIMEOUT).says("fine"));

    var task = kit.awaitEnd(kit.submit(kit.externalSession(), "ask"));

    assertThat(task.state()).isEqualTo(TaskState.COMPLETED);
    assertThat(task.attempts()).isEqualTo(1);
    assertThat(child.requests()).hasSize(3);
    assertThat(kit.modelEvents(task.child()))
        .isEqualTo(
            "started 1, ended 1 model_unavailable, started 2, ended 2 model_timeout, started 3,"
                + " ended 3");
  }

  @Test
  void unreadableAnswerIsAskedForAgain() {
    var child = kit.child("ask", model -> model.fails(Code.MODEL_BAD_RESPONSE, 2).says("better"));

    var task = kit.awaitEnd(kit.submit(kit.externalSession(), "ask"));

    assertThat(task.outcome().orElseThrow().result()).isEqualTo("better");
    assertThat(child.requests()).hasSize(3);
    assertThat(task.attempts()).isEqualTo(1);
  }

  @Test
  void answersThatStayUnreadableFailTheTask() {
    var child = kit.child("ask", model -> model.fails(Code.MODEL_BAD_RESPONSE, 9));

    var task = kit.awaitEnd(kit.submit(kit.externalSession(), "ask"));

    assertThat(task.state()).isEqualTo(TaskState.FAILED);
    assertThat(task.outcome().orElseThrow().error())
        .extracting(TaskOutcome.Error::code)
        .isEqualTo("model_bad_response");
    assertThat(child.requests()).hasSize(9);
    assertThat(task.attempts()).isEqualTo(3);
  }

  @Test
  void permanentFailureIsNotRetriedAndTheParentIsNotified() {
    var child = kit.child("ask", model -> model.fails(Code.MODEL_UNAUTHORIZED));
    var parent = kit.externalSession();

    var task = kit.awaitEnd(kit.submit(parent, "ask"));
    kit.awaitRest(parent);

    assertThat(task.state()).isEqualTo(TaskState.FAILED);
    assertThat(kit.modelEvents(task.child())).isEqualTo("started 1, ended 1 model_unauthorized");
    assertThat(child.requests()).hasSize(1);
    assertThat(kit.transcript(parent))
        .singleElement()
        .satisfies(notice -> assertThat(notice.text()).contains("failed", "model_unauthorized"));
  }

  @Test
  void sessionReportsAModelFailureAtOnceAndAcceptsTheNextMessage() {
    var parent = kit.session(model -> model.fails(Code.MODEL_UNAUTHORIZED).says("better"));

    kit.say(parent, "Hello?");
    kit.awaitRest(parent);
    assertThat(kit.outline(parent)).containsExactly("user", "system");
    assertThat(kit.requests(parent)).hasSize(1);
    kit.say(parent, "And now?");
    kit.awaitRest(parent);

    assertThat(kit.look(parent).state()).isEqualTo(SessionState.IDLE);
    assertThat(kit.outline(parent)).containsExactly("user", "system", "user", "assistant");
  }
}
