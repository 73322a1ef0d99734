package dev.errand.story;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.UsageTotals;
import dev.errand.kit.EndpointModels;
import dev.errand.kit.Story;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.Call;
import dev.errand.kit.StubEndpoint.ModelCall;
import dev.errand.kit.TaskKit;
import dev.errand.task.StopReason;
import dev.errand.task.Task;
import dev.errand.task.TaskState;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Conversations with endpoints that are as strict as OpenAI and Anthropic. */
@QuarkusTest
class ProvidersDbTest implements Story {

  @Inject TaskKit kit;
  @Inject EndpointModels endpoints;

  private final Queue<Answer> answers = new ArrayDeque<>();
  private final List<ModelCall> calls = new CopyOnWriteArrayList<>();

  @BeforeEach
  void answerInOrder() {
    endpoints.answer(call -> {
      calls.add(call);
      return answers.remove();
    });
  }

  @Test
  void noRequestIsRefusedWhateverTheModelsAnswerAndWhicheverModelIsNext() {
    var parent = kit.externalSession();
    answers.add(
        Answer.calls(
            new Call("functions.read:0", "functions.read", Map.of("path", "a.txt")),
            new Call("x".repeat(60), "multi_tool_use.parallel", Map.of())));
    answers.add(Answer.calls(new Call("functions.read:0", "list", Map.of())));
    answers.add(Answer.says(""));
    answers.add(Answer.says("some of it"));
    var first = task(parent, EndpointModels.OPENAI, Map.of());

    answers.add(Answer.calls(new Call("toolu_1", "größe messen", Map.of())));
    answers.add(Answer.calls(new Call("toolu_1", "list", Map.of())));
    answers.add(Answer.says("half of it"));
    var child = first.child().toString();
    var second =
        task(parent, EndpointModels.ANTHROPIC, Map.of("session_id", child, "max_turns", 2));

    answers.add(Answer.cut("all "));
    answers.add(Answer.says("of it"));
    var third = task(parent, EndpointModels.OPENAI, Map.of("session_id", child));

    assertThat(endpoints.errors()).isEmpty();
    assertThat(List.of(first, second, third))
        .extracting(task -> task.outcome().orElseThrow().state())
        .containsOnly(TaskState.COMPLETED);
    assertThat(second.outcome().orElseThrow().partial()).isTrue();
    assertThat(third.outcome().orElseThrow().result()).isEqualTo("all of it");
    assertThat(third.outcome().orElseThrow().stopReason()).isEqualTo(StopReason.END_TURN);
    // The continuation of the cut answer belongs to its turn.
    assertThat(first.usage()).isEqualTo(new UsageTotals(48, 32, 20, 4, 3, null));
    assertThat(second.usage()).isEqualTo(new UsageTotals(36, 24, 15, 3, 2, null));
    assertThat(third.usage()).isEqualTo(new UsageTotals(24, 16, 10, 1, 0, null));
    given()
        .get("/v1/sessions/{id}", child)
        .then()
        .body("usage.input_tokens", is(108))
        .body("usage.cached_input_tokens", is(72));
    assertThat(calls.get(1).last().text())
        .contains("no tool named 'multi_tool_use.parallel'", "read");
    assertThat(calls.getLast().turns().subList(0, calls.get(2).turns().size()))
        .isEqualTo(calls.get(2).turns());
    assertThat(kit.outline(first.child()))
        .contains("assistant: functions.read, multi_tool_use.parallel");
  }

  @Test
  void nothingIsKeptOfWhatIsSentByDefault() {
    answers.add(Answer.says("gold"));
    var child = task(kit.externalSession(), EndpointModels.OPENAI, Map.of()).child();

    given()
        .get("/v1/sessions/{id}/messages/2/sent", child.toString())
        .then()
        .statusCode(404)
        .body("detail", containsString("does not keep the requests"));
    given().get("/v1/me").then().body("keeps_sent", is(false));
    var rows = "select count(*) from sent_request where session_id = '" + child.value() + "'";
    assertThat(kit.row(rows, Integer.class)).isZero();
  }

  private Task task(SessionId parent, String model, Map<String, ?> more) {
    var fields = new HashMap<String, Object>(more);
    fields.put("model", model);
    return kit.awaitEnd(kit.submit(parent, "dig", fields));
  }
}
