package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.kit.Script.Call;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Wrong arguments of the {@code task} tool. */
@QuarkusTest
class WrongArgumentsDbTest implements Story {

  @Inject TaskKit kit;

  static Stream<Arguments> wrong() {
    return Stream.of(
        Arguments.of("subagent_type", Map.of("subagent_type", "wizard"), "explore"),
        Arguments.of("subagent_type", Map.of("subagent_type", "primary"), "general"),
        Arguments.of("prompt", Map.of("prompt", ""), "empty"),
        Arguments.of("prompt", Map.of("prompt", 7), "string"),
        Arguments.of("colour", Map.of("colour", "red"), "unknown"),
        Arguments.of("timeout_ms", Map.of("timeout_ms", -1), "1"),
        Arguments.of("max_turns", Map.of("max_turns", "many"), "integer"),
        Arguments.of("background", Map.of("background", "yes"), "boolean"),
        Arguments.of("cleanup", Map.of("cleanup", "burn"), "keep"),
        Arguments.of("model", Map.of("model", "nobody:knows"), "provider"),
        Arguments.of("session_id", Map.of("session_id", "ses_1"), "child session"));
  }

  @ParameterizedTest(name = "{0} as {1}")
  @MethodSource("wrong")
  void errorResultNamesTheFieldAndTheParentContinues(
      String field, Map<String, Object> wrong, String hint) {
    var arguments = new HashMap<String, Object>(wrong);
    arguments.putIfAbsent("description", "a task");
    arguments.putIfAbsent("prompt", "do it");
    var parent = kit.session(model -> model.calls(Call.of("task", arguments)).thenSays("sorry"));

    kit.say(parent, "Go.");
    kit.awaitRest(parent);

    assertThat(kit.toolResults(parent))
        .singleElement()
        .satisfies(
            result -> assertThat(result.isError()).isTrue(),
            result -> assertThat(result.text()).contains(field).containsIgnoringCase(hint));
    assertThat(kit.outline(parent)).endsWith("tool", "assistant");
    assertThat(kit.tasksOf(parent)).isEmpty();
  }

  @ParameterizedTest(name = "without {0}")
  @ValueSource(strings = {"description", "prompt"})
  void errorResultNamesAMissingField(String field) {
    var arguments = new HashMap<>(Map.of("description", "a task", "prompt", "do it"));
    arguments.remove(field);
    var parent = kit.session(model -> model.calls(Call.of("task", arguments)).thenSays("sorry"));

    kit.say(parent, "Go.");
    kit.awaitRest(parent);

    assertThat(kit.toolResults(parent).getFirst().text()).contains(field, "required");
  }
}
