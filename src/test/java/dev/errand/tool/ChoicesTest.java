package dev.errand.tool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.conversation.ToolDefinition;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ChoicesTest {

  private static final ToolDefinition TOOL =
      new ToolDefinition(
          "task", "Delegates.", ParameterSchema.object().string("agent", "Who does it.").build());

  @Test
  void choicesThatFitStandAtTheParameter() {
    var abouts = new LinkedHashMap<String, String>();
    abouts.put("explore", "Explores.");
    abouts.put("plan", "Plans.");
    var choices = new Choices("agent", "The agents", abouts);

    assertThat(text(choices.fitting(TOOL)))
        .isEqualTo("Who does it.\nThe agents:\n- explore: Explores.\n- plan: Plans.")
        .isEqualTo(text(choices.all(TOOL)));
    assertThat(choices.guide("task"))
        .isEqualTo("The agents, as agent of the tool task:\n- explore: Explores.\n- plan: Plans.");
    assertThat(text(TOOL)).isEqualTo("Who does it.");
  }

  @Test
  void onlyWholeChoicesStandAtTheParameterAndTheNamesOfOthers() {
    var choices = new Choices("agent", "The agents", many(60));

    var text = text(choices.fitting(TOOL));

    assertThat(text).hasSizeBetween(900, 1_024);
    assertThat(text.lines().filter(line -> line.startsWith("- ")))
        .hasSizeGreaterThan(5)
        .allMatch(line -> line.matches("- agent\\d+: a{80}"));
    assertThat(text.lines().toList().getLast())
        .matches("More, described in the system prompt: agent\\d+, (agent\\d+, )*agent\\d+,…");
    assertThat(text(choices.all(TOOL)).lines()).hasSize(62);
    assertThat(choices.guide("task").lines()).hasSize(61);
  }

  @Test
  void choiceThatIsTooLongDoesNotHideOthers() {
    var abouts = many(3);
    abouts.putFirst("long", "a".repeat(2_000));

    assertThat(text(new Choices("agent", "The agents", abouts).fitting(TOOL)))
        .contains("- agent100: ", "- agent102: ")
        .endsWith("\nMore, described in the system prompt: long");
  }

  private static SequencedMap<String, String> many(int choices) {
    var abouts = new LinkedHashMap<String, String>();
    IntStream.range(100, 100 + choices)
        .forEach(number -> abouts.put("agent" + number, "a".repeat(80)));
    return abouts;
  }

  private static String text(ToolDefinition tool) {
    return tool.parameters().at("/properties/agent/description").asText();
  }
}
