package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.conversation.Content;
import dev.errand.kit.Gate;
import dev.errand.kit.Script.Call;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.model.ModelRequest;
import dev.errand.task.StopReason;
import dev.errand.task.TaskState;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The limit of turns. */
@QuarkusTest
class TurnLimitDbTest implements Story {

  @Inject TaskKit kit;

  @Test
  void childAtItsTurnLimitAnswersInOneLastTurnInWhichItMayCallNoTools() {
    var child =
        kit.child(
            "dig",
            model -> model.callsForever("digging", Call.of("list", Map.of())).says("half a hole"));

    var task = kit.awaitEnd(kit.submit(kit.externalSession(), "dig", Map.of("max_turns", 2)));

    var ending = task.outcome().orElseThrow();
    assertThat(ending.state()).isEqualTo(TaskState.COMPLETED);
    assertThat(ending.stopReason()).isEqualTo(StopReason.MAX_TURNS);
    assertThat(ending.partial()).isTrue();
    assertThat(ending.result()).isEqualTo("half a hole");
    assertThat(task.usage().turns()).isEqualTo(3);
    assertThat(child.requests()).hasSize(3);
    assertThat(child.requests())
        .extracting(ModelRequest::closing)
        .containsExactly(false, false, true);
    var last = child.requests().getLast();
    assertThat(last.system()).isEqualTo(child.requests().getFirst().system());
    assertThat(last.tools()).isEqualTo(child.requests().getFirst().tools());
    assertThat(last.conversation().getLast().text()).contains("You have used all your turns");
    assertThat(kit.transcript(task.child())).doesNotContain(last.conversation().getLast());
  }

  @Test
  void resultOfAChildThatEndsInItsLastTurnIsNotPartial() {
    kit.child("dig", model -> model.calls("list", Map.of()).thenSays("a hole"));

    var task = kit.awaitEnd(kit.submit(kit.externalSession(), "dig", Map.of("max_turns", 2)));

    var ending = task.outcome().orElseThrow();
    assertThat(ending.stopReason()).isEqualTo(StopReason.END_TURN);
    assertThat(ending.partial()).isFalse();
  }

  @Test
  void usageOfAllTurnsIsCounted() {
    kit.child("dig", model -> model.calls("list", Map.of()).thenSays("a hole"));

    var task = kit.awaitEnd(kit.submit(kit.externalSession(), "dig"));

    var spent = task.usage();
    assertThat(spent.inputTokens()).isEqualTo(20);
    assertThat(spent.outputTokens()).isEqualTo(6);
    assertThat(spent.turns()).isEqualTo(2);
    assertThat(spent.toolCalls()).isEqualTo(1);
  }

  @Test
  void rootThatGetsAMessageInItsClosingTurnHasItsToolsAgain() {
    var gate = new Gate();
    var root =
        kit.session(
            model -> model.calls("list", Map.of()).at(gate).says("enough").thenSays("as you like"));
    kit.tamper("update session set max_turns = 1 where id = ?", root.value());

    kit.say(root, "look");
    gate.awaitArrivals(1);
    kit.say(root, "look again");
    gate.open();
    kit.awaitRest(root);

    assertThat(kit.requests(root)).hasSize(3);
    assertThat(kit.requests(root))
        .extracting(ModelRequest::closing)
        .containsExactly(false, true, false);
  }

  @Test
  void answerThatIsCutTwiceIsPartial() {
    kit.child("dig", model -> model.saysCut("half ").saysCut("a h"));

    var parent = kit.externalSession();
    var task = kit.awaitEnd(kit.submit(parent, "dig"));

    var ending = task.outcome().orElseThrow();
    assertThat(ending.state()).isEqualTo(TaskState.COMPLETED);
    assertThat(ending.stopReason()).isEqualTo(StopReason.MAX_TOKENS);
    assertThat(ending.partial()).isTrue();
    assertThat(ending.result()).isEqualTo("half a h");
    assertThat(kit.outline(task.child())).containsExactly("user", "assistant");
    assertThat(kit.transcript(task.child()).getLast().isCut()).isTrue();
  }

  @Test
  void answerThatTheProviderStopsIsPartialAndNotContinued() {
    var child = kit.child("dig", model -> model.saysUntilStopped("half a h"));

    var ending = kit.awaitEnd(kit.submit(kit.externalSession(), "dig")).outcome().orElseThrow();

    assertThat(ending.state()).isEqualTo(TaskState.COMPLETED);
    assertThat(ending.stopReason()).isEqualTo(StopReason.MAX_TOKENS);
    assertThat(ending.partial()).isTrue();
    assertThat(ending.result()).isEqualTo("half a h");
    assertThat(child.requests()).hasSize(1);
  }

  @Test
  void sixIdenticalCallsInARowEndTheRun() {
    var child =
        kit.child("dig", model -> model.callsForever("", Call.of("list", Map.of())).says("a hole"));

    var task = kit.awaitEnd(kit.submit(kit.externalSession(), "dig"));

    var ending = task.outcome().orElseThrow();
    assertThat(ending.stopReason()).isEqualTo(StopReason.MAX_TURNS);
    assertThat(ending.partial()).isTrue();
    assertThat(ending.result()).isEqualTo("a hole");
    assertThat(child.requests()).hasSize(7);
    assertThat(results(child.requests().get(2))).noneMatch(text -> text.contains("in a row"));
    assertThat(results(child.requests().getLast()))
        .filteredOn(text -> text.contains("in a row"))
        .hasSize(4);
    assertThat(child.requests().getLast().conversation().getLast().text())
        .contains("You only repeat the same call");
    assertThat(kit.toolResults(task.child()))
        .noneMatch(result -> result.text().contains("in a row"));
  }

  private static List<String> results(ModelRequest request) {
    return request.conversation().stream()
        .flatMap(message -> message.content().stream())
        .filter(Content.ToolResult.class::isInstance)
        .map(result -> ((Content.ToolResult) result).text())
        .toList();
  }
}
