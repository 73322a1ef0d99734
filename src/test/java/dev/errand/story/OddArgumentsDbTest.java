package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.Message;
import dev.errand.conversation.MessageRole;
import dev.errand.conversation.SessionId;
import dev.errand.kit.EndpointModels;
import dev.errand.kit.OddText;
import dev.errand.kit.Script;
import dev.errand.kit.Script.Call;
import dev.errand.kit.Story;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.TaskKit;
import dev.errand.tool.ToolBox;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tool calls whose arguments have characters that PostgreSQL cannot store. */
@QuarkusTest
class OddArgumentsDbTest implements Story {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  @Inject TaskKit kit;
  @Inject ToolBox toolBox;
  @Inject EndpointModels endpoints;
  @TempDir Path workspace;

  /** Each tool is called once for each place in its schema, with the odd text in this place. */
  @ParameterizedTest
  @EnumSource
  void everyToolAnswersACallWithAnOddText(OddText odd) {
    kit.children(_ -> new Script().says(odd.text()).saysForever("more"));
    var calls = calls(odd.text());
    var session =
        kit.session(
            Map.of("workspace", workspace.toString()),
            model -> model.calls(calls).says(odd.text()).saysForever("heard"));

    kit.say(session, "Go.");
    kit.awaitRest(session);

    assertThat(kit.transcript(session).get(1).toolCalls())
        .extracting(call -> Map.entry(call.name(), call.arguments()))
        .containsExactlyElementsOf(
            Stream.of(calls(odd.stored()))
                .map(call -> Map.entry(call.tool(), JSON.<JsonNode>valueToTree(call.arguments())))
                .toList());
    assertThat(kit.toolResults(session))
        .hasSize(calls.length)
        .noneMatch(result -> result.text().contains("internal error"));
    assertThat(kit.transcript(session))
        .filteredOn(message -> message.role() == MessageRole.ASSISTANT)
        .extracting(Message::text)
        .startsWith("", odd.stored());
  }

  /** Of all tools that the service has, also of one that a later version adds. */
  private Call[] calls(String text) {
    var calls = new ArrayList<Call>();
    for (var name : toolBox.registered()) {
      var schema = toolBox.find(name).orElseThrow().definition().parameters();
      SampleArguments.with(text, schema)
          .forEach(arguments -> calls.add(Call.of(name, map(arguments))));
    }
    calls.add(Call.of(text, Map.of()));
    return calls.toArray(Call[]::new);
  }

  @Test
  void taskWithAnOddDescriptionIsDone() {
    kit.children(prompt -> new Script().says("found \ud83d" + prompt + "\0"));
    var arguments =
        Map.of(
            "description",
            "a\0",
            "prompt",
            "p\ud83d",
            "label",
            "\ude00",
            "subagent_type",
            "explore");
    var session = kit.session(model -> model.calls("task", arguments).thenSays("done"));

    kit.say(session, "Go.");
    kit.awaitRest(session);

    assertThat(kit.tasksOf(session))
        .singleElement()
        .satisfies(
            task -> assertThat(task.description()).isEqualTo("a\ufffd"),
            task -> assertThat(task.prompt()).isEqualTo("p\ufffd"),
            task -> assertThat(task.label()).isEqualTo("\ufffd"));
    assertThat(kit.toolResults(session).getFirst().text()).contains("found \ufffdp\ufffd\ufffd");
    assertThat(title(session)).isEqualTo("a\ufffd");
  }

  @ParameterizedTest
  @ValueSource(strings = {EndpointModels.OPENAI, EndpointModels.ANTHROPIC})
  void callWithNulIsAnsweredAtARealEndpoint(String model) {
    endpoints.answer(call ->
        call.isFirst()
            ? Answer.calls(Answer.call("read", Map.of("file_path", "a\0")))
            : Answer.says("no such file"));
    var session = kit.sessionOf(model);

    kit.say(session, "Go.");
    kit.awaitRest(session);

    assertThat(title(session)).isEqualTo("a\ufffd");
    assertThat(kit.transcript(session).getLast().text()).isEqualTo("no such file");
    assertThat(endpoints.errors()).isEmpty();
  }

  /** A title of 120 characters would end in the middle of a pair. */
  @Test
  void titleIsCutBetweenCharacters() {
    var path = "x".repeat(119) + "\ud83d\ude00.txt";
    var session =
        kit.session(model -> model.calls("read", Map.of("file_path", path)).thenSays("done"));

    kit.say(session, "Go.");
    kit.awaitRest(session);

    assertThat(title(session)).isEqualTo("x".repeat(119) + "…");
  }

  private String title(SessionId session) {
    return kit.row(
        "select title from tool_call where session_id = '" + session.value() + "'", String.class);
  }

  private static Map<String, ?> map(ObjectNode arguments) {
    return JSON.convertValue(arguments, new TypeReference<>() {});
  }
}
