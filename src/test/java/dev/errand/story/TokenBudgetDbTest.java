package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.conversation.Usage;
import dev.errand.kit.Script;
import dev.errand.kit.Script.Call;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.task.StopReason;
import dev.errand.task.TaskState;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The token budget of a whole tree. */
@QuarkusTest
class TokenBudgetDbTest implements Story {

  private static final long ONE_TURN = Script.USAGE.inputTokens() + Script.USAGE.outputTokens();

  @Inject TaskKit kit;

  @Test
  void taskEndsWithItsLastTextWhenTheTokensAreUsedUp() {
    kit.child(
        "dig",
        model -> model.saysAndCalls("half of it", Call.of("list", Map.of())).says("too much"));
    var parent = kit.limitedSession(Map.of("max_tokens", ONE_TURN));

    var task = kit.awaitEnd(kit.submit(parent, "dig"));
    kit.awaitRest(parent);

    var ending = task.outcome().orElseThrow();
    assertThat(ending.state()).isEqualTo(TaskState.FAILED);
    assertThat(ending.stopReason()).isEqualTo(StopReason.BUDGET);
    assertThat(ending.result()).isEqualTo("half of it");
    assertThat(ending.error())
        .satisfies(
            error -> assertThat(error.code()).isEqualTo("budget_exhausted"),
            error ->
                assertThat(error.message()).contains(ONE_TURN + " of " + ONE_TURN + " tokens"));
    assertThat(task.attempts()).isEqualTo(1);
    assertThat(kit.transcript(parent).getFirst().text()).contains("budget_exhausted", "half of it");
  }

  @Test
  void inputFromTheCacheOfTheProviderIsCountedSeparately() {
    var cached = new Usage(1_010, 1_000, 3);
    kit.child(
        "dig",
        model ->
            model
                .calls(cached, Call.of("list", Map.of()))
                .calls(cached, Call.of("list", Map.of())));
    var parent = kit.limitedSession(Map.of("max_tokens", 2 * ONE_TURN));

    var task = kit.awaitEnd(kit.submit(parent, "dig"));

    assertThat(task.usage().cachedInputTokens()).isEqualTo(2_000);
    assertThat(task.outcome().orElseThrow().error())
        .satisfies(error ->
            assertThat(error.message())
                .contains("26 of 26 tokens", "and 2000 from caches, which do not count"));
  }

  @Test
  void answerThatReachesTheBudgetCompletesTheTask() {
    kit.child("dig", model -> model.says("gold"));

    var task = kit.awaitEnd(kit.submit(kit.limitedSession(Map.of("max_tokens", ONE_TURN)), "dig"));

    assertThat(task.state()).isEqualTo(TaskState.COMPLETED);
  }

  @Test
  void childrenUseTheTokensOfTheirRootAndTheRootReportsIt() {
    kit.child("dig", model -> model.says("gold"));
    var parent =
        kit.session(
            Map.of("limits", Map.of("max_tokens", 2 * ONE_TURN)),
            model -> model.callsTask("dig").says("not reached"));

    kit.say(parent, "Dig.");
    kit.awaitRest(parent);

    assertThat(kit.outline(parent)).containsExactly("user", "assistant: task", "tool", "system");
    assertThat(kit.transcript(parent).getLast().text()).contains("budget_exhausted");
    assertThat(kit.requests(parent)).hasSize(1);
  }

  @Test
  void budgetOfZeroAllowsNoModelCall() {
    var parent =
        kit.session(Map.of("limits", Map.of("max_tokens", 0)), model -> model.says("not reached"));

    kit.say(parent, "Hello?");
    kit.awaitRest(parent);

    assertThat(kit.requests(parent)).isEmpty();
  }
}
