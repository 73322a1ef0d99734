package dev.errand.story;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.equalTo;

import dev.errand.conversation.SessionId;
import dev.errand.kit.Script;
import dev.errand.kit.Script.Call;
import dev.errand.kit.SkillKit;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import io.quarkus.arc.Arc;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Commands that a model runs through {@code bash}; they behave the same with and without a shell.
 */
interface BashCommands extends Story {

  @AfterEach
  default void removeSkills() {
    skills().clear();
  }

  @ParameterizedTest
  @CsvSource({
    "task:explore, explore",
    "task:general, general",
    "task:skill:search, skill",
    "task:skill:enhance, skill"
  })
  default void commandOfAModelDelegates(String command, String agent) {
    kit().children(_ -> new Script().says("seen"));
    var line =
        command
            + " --prompt \"Look at 'it' & \\\"more\\\"\" --description='two words' --max-turns 3";
    var parent = kit().session(model -> model.calls(bash(line)).says("so it is"));

    kit().say(parent, "Go.");
    kit().awaitRest(parent);

    assertThat(kit().toolResults(parent))
        .singleElement()
        .satisfies(
            result -> assertThat(result.text()).startsWith("seen").contains("<task_metadata>"));
    var task = kit().tasksOf(parent).getFirst();
    assertThat(task.subagentType()).isEqualTo(agent);
    assertThat(task.description()).isEqualTo("two words");
    assertThat(task.maxTurns()).isEqualTo(3);
    given().get("/v1/tasks/{id}", task.id().toString()).then().body("command", equalTo(command));
    assertThat(task.prompt()).contains("Look at 'it' & \"more\"");
  }

  @Test
  default void skillIsLoadedThroughBash() {
    skills().define("pdf", "Reads PDF files.", "Use the tool.");
    var parent = kit().session(model -> model.calls(bash("skill:load pdf")).says("read"));

    kit().say(parent, "Go.");
    kit().awaitRest(parent);

    assertThat(kit().toolResults(parent).getFirst().text()).contains("Use the tool.");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '#',
      quoteCharacter = '^',
      value = {
        "task:explore --prompt \"never closed # never closed",
        "task:explore --prompt 'never closed # never closed",
        "task:explore --prompt two words # belongs to no option",
        "task:explore --prompt a; touch made # one simple command",
        "task:explore --prompt a | tee made # one simple command",
        "task:explore --prompt a > made # one simple command",
        "task:explore --prompt $(touch made) # one simple command",
        "task:explore --prompt `touch made` # one simple command",
        "task:nothing --prompt a # Commands: task:explore",
        "skill:search --prompt a # task:skill:search now",
        "skill:enhance --prompt a # task:skill:enhance now",
        "task:skill:enhance --prompt a --session ses_0 # there is no session 'ses_0'"
      })
  default void wrongCommandOfAModelIsAnErrorResultAndStartsNoShell(String command, String message) {
    var parent = kit().session(model -> model.calls(bash(command)).says("sorry"));

    kit().say(parent, "Go.");
    kit().awaitRest(parent);

    assertThat(kit().toolResults(parent))
        .singleElement()
        .satisfies(result -> assertThat(result.isError()).isTrue())
        .satisfies(result -> assertThat(result.text()).contains(message));
    assertThat(kit().tasksOf(parent)).isEmpty();
    assertThat(kit().look(parent).workspace().resolve("made")).doesNotExist();
  }

  @Test
  default void modelCannotEnhanceSkillsFromSessionsOutsideItsTree() {
    var outsider = kit().session(model -> model.says("the outsider's secret"));
    kit().say(outsider, "Hello.");
    kit().awaitRest(outsider);
    var parent = kit().session(model -> model.calls(enhanceFrom(outsider)).says("sorry"));

    kit().say(parent, "Go.");
    kit().awaitRest(parent);

    assertThat(kit().toolResults(parent).getFirst().text())
        .contains("there is no session '" + outsider + "'")
        .doesNotContain("secret");
    assertThat(kit().tasksOf(parent)).isEmpty();
  }

  @Test
  default void modelEnhancesSkillsFromItsOwnChild() {
    kit().child("look", model -> model.says("the text of the child"));
    var parent = kit().session(model -> model.callsTask("look").thenSays("seen"));
    kit().say(parent, "Go.");
    kit().awaitRest(parent);
    kit().children(_ -> new Script().says("written"));
    kit().script(parent).calls(enhanceFrom(kit().childOf(parent))).says("learned");

    kit().say(parent, "Learn.");
    kit().awaitRest(parent);

    assertThat(kit().tasksOf(parent).getLast().prompt())
        .contains("the text of the child")
        .contains(kit().childOf(parent).toString());
  }

  private static Call enhanceFrom(SessionId session) {
    return bash("task:skill:enhance --prompt learn --session " + session);
  }

  private static Call bash(String command) {
    return Call.of("bash", Map.of("command", command));
  }

  private static TaskKit kit() {
    return Arc.container().instance(TaskKit.class).get();
  }

  private static SkillKit skills() {
    return Arc.container().instance(SkillKit.class).get();
  }
}
