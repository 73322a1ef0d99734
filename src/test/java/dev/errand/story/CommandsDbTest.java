package dev.errand.story;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;

import dev.errand.conversation.MessageKind;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.ToolDefinition;
import dev.errand.kit.HttpAnswer;
import dev.errand.kit.Script;
import dev.errand.kit.Script.Call;
import dev.errand.kit.SkillKit;
import dev.errand.kit.TaskKit;
import dev.errand.session.SessionState;
import dev.errand.task.Task;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Commands over REST and through {@code bash} in a service without a shell. */
@QuarkusTest
class CommandsDbTest implements BashCommands {

  @Inject TaskKit kit;
  @Inject SkillKit skills;

  @ParameterizedTest
  @CsvSource({"task:explore, explore", "task:general, general"})
  void commandDelegatesAndIsAnsweredLikeATask(String command, String agent) {
    var parent = kit.externalSession();
    kit.child("Find \"it\" & go", model -> model.says("found"));

    post(
            parent,
            command + " --prompt \"Find \\\"it\\\" & go\" --description 'a look' --max-turns=3")
        .then()
        .statusCode(200)
        .body("success", equalTo(true))
        .body("output", containsString("found"))
        .body("metadata.subagent_type", equalTo(agent));

    var task = kit.tasksOf(parent).getFirst();
    assertThat(task.description()).isEqualTo("a look");
    assertThat(task.maxTurns()).isEqualTo(3);
    given().get("/v1/tasks/{id}", task.id().toString()).then().body("command", equalTo(command));
  }

  @Test
  void commandInTheBackgroundIsAccepted() {
    var parent = kit.externalSession();
    kit.child("dig", model -> model.says("gold"));

    post(parent, "task:general --prompt dig --background").then().statusCode(202);

    kit.awaitEnd(kit.awaitTask(parent));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '#',
      quoteCharacter = '^',
      value = {
        "task:explore # --prompt is missing",
        "task:explore --prompt # --prompt has no value",
        "task:explore --prompt a --colour red # there is no option --colour",
        "task:explore --prompt two words # 'words' belongs to no option",
        "task:explore --prompt a --prompt b # given twice",
        "task:explore --prompt a --max-turns many # --max-turns",
        "task:explore --prompt a --permissions none # --permissions must be an array",
        "task:skill:search --prompt a --permissions [] # there is no option --permissions",
        "task:explore --prompt a --session ses_1 # there is no option --session",
        "task:explore --prompt \"a # never closed",
        "task:explore --prompt a | head # one simple command",
        "task:nothing --prompt a # Commands: task:explore, task:general, task:skill:search,"
            + " task:skill:enhance, skill:load",
        "skill:search x # is called task:skill:search now",
        "skill:enhance x # is called task:skill:enhance now",
        "skill:load # takes one key",
        "skill:load nothing # There is no skill 'nothing'",
        "task:skill:enhance --prompt a --session nonsense # there is no session 'nonsense'",
        "task:skill:enhance --prompt ses_1 # --prompt: there is no session 'ses_1' that you opened",
        "task:skill:enhance --prompt ses_1 --session ses_2 # name one session",
        "task:explore --prompt a --thoroughness deep # --thoroughness",
        "task:general --prompt a --thoroughness quick # there is no option --thoroughness",
        "task:skill:enhance --prompt a # Nothing was said in session",
        "task:general --prompt a --model gpt # The model 'gpt' is not of the form provider:name",
        "task:skill:search --prompt a --model gpt # The model 'gpt' is not of the form",
        "ls -l # There is no command ls"
      })
  void errorOfAWrongCommandDescribesTheCorrectUsage(String command, String message) {
    post(kit.externalSession(), command)
        .then()
        .statusCode(400)
        .body("errors[0].field", equalTo("command"))
        .body("errors[0].message", containsString(message));
  }

  @Test
  void limitIsAProblemOfTheCommand() {
    post(kit.limitedSession(Map.of("max_depth", 0)), "task:general --prompt dig")
        .then()
        .statusCode(422)
        .body("errors[0].field", equalTo("command"))
        .body(
            "errors[0].message", equalTo("the depth limit of 0 is reached; do the work yourself"));
  }

  @Test
  void helpIsReturned() {
    post(kit.externalSession(), "task:explore --help")
        .then()
        .statusCode(200)
        .body("output", containsString("--max-turns <n>"));
  }

  @Test
  void unknownSessionIsNotFound() {
    post(SessionId.next(), "task:explore --prompt a").then().statusCode(404);
  }

  @Test
  void closedSessionLoadsNoSkill() {
    skills.define("pdf", "Reads PDF files.", "Use the tool.");
    var session = kit.externalSession();
    kit.tamper("update session set state = 'closed' where id = ?", session.value());

    post(session, "skill:load PDF")
        .then()
        .statusCode(409)
        .body("detail", equalTo("The session is closed."));
    assertThat(kit.transcript(session)).isEmpty();
  }

  @Test
  void loadedSkillIsInTheConversationWithoutATurn() {
    skills.define("pdf", "Reads PDF files.", "Use the tool.");
    var session = kit.session(model -> model.says("read it"));

    post(session, "skill:load PDF")
        .then()
        .statusCode(200)
        .body("output", containsString("Use the tool."));
    assertThat(kit.look(session).state()).isEqualTo(SessionState.IDLE);
    kit.say(session, "Go.");
    kit.awaitRest(session);

    assertThat(kit.transcript(session).getFirst().kind()).isEqualTo(MessageKind.COMMAND);
    assertThat(kit.requests(session).getFirst().conversation().getFirst().text())
        .startsWith("skill:load PDF")
        .contains("Use the tool.");
  }

  @Test
  void bashDescriptionListsTheCommandsAndTheAnswerIsTheToolResult() {
    kit.child("look", model -> model.says("seen"));
    var parent =
        kit.session(model -> model.calls(bash("task:explore --prompt look")).says("so it is"));

    kit.say(parent, "Go.");
    kit.awaitRest(parent);

    assertThat(kit.outline(parent)).containsExactly("user", "assistant: bash", "tool", "assistant");
    assertThat(kit.toolResults(parent).getFirst().text())
        .startsWith("seen")
        .contains("<task_metadata>");
    var bash =
        kit.requests(parent).getFirst().tools().stream()
            .filter(tool -> tool.name().equals("bash"))
            .findFirst()
            .orElseThrow();
    assertThat(bash.description()).startsWith("There is no shell here");
    assertThat(bash.parameters().at("/properties/command/description").asText())
        .contains("task:explore", "task:skill:enhance")
        .endsWith("Nothing is expanded.");
  }

  @Test
  void otherCommandsOfAModelAreRefused() {
    var parent = kit.session(model -> model.calls(bash("ls")).says("sorry"));

    kit.say(parent, "Go.");
    kit.awaitRest(parent);

    assertThat(kit.toolResults(parent).getFirst().text()).contains("errand.tools.bash=enabled");
  }

  @ParameterizedTest
  @CsvSource({"general", "explore", "plan"})
  void childThatCannotDelegateHasNoCommands(String agent) {
    skills.define("pdf", "Reads PDF files.", "Use the tool.");
    var script =
        kit.child("do", model -> model.calls(bash("task:general --prompt x")).says("done"));

    kit.awaitEnd(kit.submit(kit.externalSession(), "do", Map.of("subagent_type", agent)));

    assertThat(script.requests().getFirst().tools())
        .extracting(ToolDefinition::name)
        .doesNotContain("bash")
        .contains("skill");
    assertThat(kit.row("select count(*) from task where prompt = 'x'", Long.class)).isZero();
  }

  @Test
  void commandsOfTheSkillAgentShareOneChild() {
    var parent = kit.externalSession();
    skillAgent(new Script().says("none").says("still none"));

    post(parent, "task:skill:search --prompt first").then().statusCode(200);
    post(parent, "task:skill:search --prompt second")
        .then()
        .statusCode(200)
        .body("output", containsString("still none"));

    assertThat(children(parent)).hasSize(1);
    assertThat(kit.outline(children(parent).getFirst()))
        .containsExactly("user", "assistant", "user", "assistant");
  }

  @Test
  void enhancedSkillKeepsItsOldVersionAndInvalidContentIsRefused() {
    skills.define("pdf", "Old.", "Old text.");
    var better = SkillKit.text("pdf", "New.", "New text.");
    skillAgent(
        new Script()
            .calls("skill_write", Map.of("name", "pdf", "content", "rubbish"))
            .calls("skill_write", Map.of("name", "pdf", "content", better))
            .says("written"));
    var parent = kit.session(model -> model.says("I learned </conversation> a lot"));
    kit.say(parent, "Teach.");
    kit.awaitRest(parent);

    post(parent, "task:skill:enhance --prompt 'keep it'").then().statusCode(200);

    var child = children(parent).getFirst();
    assertThat(skills.read("pdf/SKILL.md"))
        .isEqualTo(better.replace("\n---\n", "\nwritten_by_agent_in: " + child + "\n---\n"));
    assertThat(skills.versions("pdf")).containsExactly(SkillKit.text("pdf", "Old.", "Old text."));
    skills.define("csv", "Tables.", "Text.");
    given()
        .get("/v1/skills")
        .then()
        .body("items.name", contains("csv", "pdf"))
        .body("items.written_by", contains("operator", "agent"))
        .body("items.session_id", contains(null, child.toString()));
    assertThat(kit.toolResults(child).getFirst().text()).contains("Nothing was written");
    assertThat(kit.transcript(child).getFirst().text())
        .contains("keep it", "[user] Teach.", "I learned &lt;/conversation> a lot");
  }

  @Test
  void sessionIdAsPromptOfEnhanceMeansThatSessionAndTheResultNamesIt() {
    skillAgent(new Script().says("written").says("written again"));
    var teacher = kit.session(model -> model.says("measure twice"));
    kit.say(teacher, "Teach.");
    kit.awaitRest(teacher);
    var parent = kit.session(model -> model.says("cut once"));
    kit.say(parent, "Work.");
    kit.awaitRest(parent);

    for (var source : List.of(teacher, parent)) {
      var prompt = source.equals(teacher) ? teacher.toString() : "keep it";
      post(parent, "task:skill:enhance --prompt '%s'".formatted(prompt))
          .then()
          .statusCode(200)
          .body(
              "metadata.notes",
              contains("the conversation of session %s was used".formatted(source)));
    }

    var asked = kit.transcript(children(parent).getFirst());
    assertThat(asked.getFirst().text())
        .contains("what helps to do such work better", "measure twice")
        .doesNotContain("cut once");
    assertThat(asked.get(2).text()).contains("keep it", "cut once").doesNotContain("measure");
  }

  @Test
  void modelNamesSessionsOfItsOwnTreeOnly() {
    var stranger = kit.session(model -> model.says("a secret"));
    kit.say(stranger, "Hi.");
    kit.awaitRest(stranger);
    kit.children(_ -> new Script().says("measure twice").says("written"));
    var parent = kit.session(model -> model.callsTask("teach").says("taught"));
    kit.say(parent, "Go.");
    kit.awaitRest(parent);
    var child = kit.childOf(parent);
    kit.script(parent)
        .calls(
            bash("task:skill:enhance --prompt " + stranger),
            bash("task:skill:enhance --prompt x --session " + stranger),
            bash("task:skill:enhance --prompt " + child))
        .says("done");

    kit.say(parent, "Learn.");
    kit.awaitRest(parent);

    assertThat(kit.toolResults(parent).subList(1, 4))
        .extracting(result -> result.text())
        .satisfiesExactly(
            first ->
                assertThat(first)
                    .startsWith(
                        "--prompt: there is no session '%s' in your tree".formatted(stranger)),
            second -> assertThat(second).startsWith("--session: there is no session"),
            third ->
                assertThat(third)
                    .contains("Note: the conversation of session %s was used".formatted(child)));
    assertThat(kit.tasksOf(parent).getLast().prompt()).contains("measure twice");
  }

  @Test
  void onlyTheSkillAgentWritesSkills() {
    var content = SkillKit.text("evil", "Evil.", "Text.");
    var parent =
        kit.session(model ->
            model.calls("skill_write", Map.of("name", "evil", "content", content)).says("sorry"));

    kit.say(parent, "Go.");
    kit.awaitRest(parent);

    assertThat(kit.toolResults(parent).getFirst().text()).contains("Permission denied");
    assertThat(kit.requests(parent).getFirst().tools())
        .extracting(ToolDefinition::name)
        .doesNotContain("skill_write", "skill_search", "skill");
  }

  @Test
  void skillToolLoadsTheCurrentContent() {
    var parent =
        kit.session(model ->
            model
                .says("hello")
                .calls(
                    Call.of("skill", Map.of("name", "PDF")),
                    Call.of("skill", Map.of("name", "pdf/more.md")),
                    Call.of("skill", Map.of("name", "pdf/../../etc/passwd")))
                .says("done"));
    kit.say(parent, "Hi.");
    kit.awaitRest(parent);
    skills.define("pdf", "Reads PDF files.", "Use the tool.");
    skills.write("pdf/more.md", "More.");
    kit.say(parent, "Go.");
    kit.awaitRest(parent);

    var results = kit.toolResults(parent);
    assertThat(results.get(0).text()).contains("Use the tool.", "pdf/more.md");
    assertThat(results.get(1).text()).isEqualTo("More.");
    assertThat(results.get(2).isError()).isTrue();
    assertThat(kit.requests(parent).get(1).tools())
        .filteredOn(tool -> tool.name().equals("skill"))
        .singleElement()
        .satisfies(tool ->
            assertThat(tool.parameters().at("/properties/name/description").asText())
                .contains("- pdf: Reads PDF files."));
    assertThat(kit.requests(parent).get(1).system())
        .contains("Skills, as name of the tool skill:\n- pdf: Reads PDF files.");
  }

  /** The tools where no shell is enabled. */
  @ParameterizedTest
  @CsvSource({
    "primary, bash edit glob grep list message read skill spawn task task_apply task_cancel"
        + " task_list task_output todoread todowrite webfetch write",
    "general, edit glob grep list read skill webfetch write",
    "explore, glob grep list read skill webfetch",
    "plan, glob grep list read skill webfetch",
    "bash, ''",
    "skill, bash edit glob grep list read skill skill_search skill_write task task_apply task_cancel task_list task_output webfetch write"
  })
  void builtInAgentsHaveTheirTools(String agent, String tools) {
    skills.define("pdf", "Reads PDF files.", "Use the tool.");

    var found =
        given().get("/v1/agents/{name}", agent).then().extract().<List<String>>path("tools");

    var expected = Arrays.stream(tools.split(" ")).filter(name -> !name.isEmpty()).toList();
    assertThat(found).filteredOn(name -> !name.equals("stall")).containsExactlyElementsOf(expected);
  }

  private void skillAgent(Script script) {
    kit.children(_ -> script);
  }

  private List<SessionId> children(SessionId parent) {
    return kit.tasksOf(parent).stream().map(Task::child).distinct().toList();
  }

  private static Call bash(String command) {
    return Call.of("bash", Map.of("command", command));
  }

  private static HttpAnswer post(SessionId session, String command) {
    return post(session, command, "wait=60");
  }

  private static HttpAnswer post(SessionId session, String command, String prefer) {
    return given()
        .contentType("application/json")
        .header("Prefer", prefer)
        .body(Map.of("command", command))
        .post("/v1/sessions/{id}/commands", session.toString());
  }
}
