package dev.errand.story;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasItems;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.nullValue;
import static org.hamcrest.Matchers.startsWith;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.conversation.ToolDefinition;
import dev.errand.kit.AgentFolder;
import dev.errand.kit.Gate;
import dev.errand.kit.Script;
import dev.errand.kit.Script.Call;
import dev.errand.kit.SkillKit;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.task.TaskState;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Agents that operators define in files, from the file to the run. */
@QuarkusTest
class AgentFilesDbTest implements Story {

  @Inject TaskKit kit;
  @Inject AgentFolder folder;
  @Inject SkillKit skills;
  @Inject MeterRegistry registry;
  @TempDir Path workspace;

  @AfterEach
  void removeFiles() {
    folder.clear();
    skills.clear();
  }

  @Test
  void promptContainsTheCurrentTextOfListedSkillsOnly() {
    skills.define("pdf", "Reads PDF files.", "Fill the fields.");
    skills.define("csv", "Reads tables.", "Split the lines.");
    folder.define("clerk", "skills: [PDF]", "tools: [Read, Skill]");
    var child = kit.child("file it", model -> model.says("filed").says("filed again"));

    var task = submit("file it", Map.of("subagent_type", "clerk"));
    kit.awaitEnd(task);
    skills.define("pdf", "Reads PDF files.", "Sign the fields.");
    kit.awaitEnd(continueChild(task));

    assertThat(child.requests())
        .extracting(request -> request.system())
        .satisfiesExactly(
            first ->
                assertThat(first)
                    .startsWith("I am clerk. file it")
                    .contains("# Skill pdf", "Fill the fields.")
                    .contains("Skills, as name of the tool skill:", "- csv: Reads tables.")
                    .doesNotContain("# Skill csv", "Split the lines."),
            second ->
                assertThat(second)
                    .contains("# Skill pdf", "Sign the fields.")
                    .doesNotContain("Fill the fields."));
    assertThat(tools(child)).containsExactly("read", "skill");
    assertThat(toolNamed("skill", child)).contains("- csv: Reads tables.", "- pdf: ");
  }

  @Test
  void promptContainsListedSkillsEvenWithoutTheSkillTool() {
    skills.define("pdf", "Reads PDF files.", "Fill the fields.");
    folder.define("clerk", "skills: pdf", "tools: [Read]");
    var child = kit.child("file it", model -> model.says("filed"));

    kit.awaitEnd(submit("file it", Map.of("subagent_type", "clerk")));

    assertThat(child.requests().getFirst().system()).contains("Fill the fields.");
    assertThat(tools(child)).containsExactly("read");
  }

  @Test
  void missingSkillIsAWarningAndTheAgentRunsWithoutIt() {
    folder.write(
        "clerk.md",
        """
        ---
        name: clerk
        description: Files papers.
        skills: [gone]
        ---
        You file papers.
        """);
    var child = kit.child("file it", model -> model.says("filed"));

    assertThat(folder.reload().<List<String>>path("warnings"))
        .singleElement()
        .satisfies(warning -> assertThat(warning).contains("clerk.md:4", "gone"));
    kit.awaitEnd(submit("file it", Map.of("subagent_type", "clerk")));

    assertThat(child.requests().getFirst().system()).startsWith("You file papers.");
  }

  @Test
  void reloadCreatesAnAgentFromAFile() {
    folder.define("reviewer", "tools: Read, Grep", "maxTurns: 4", "timeoutMs: 123456");
    var child = kit.child("look", model -> model.says("seen"));

    var task = kit.awaitEnd(submit("look", Map.of("subagent_type", "Reviewer")));

    var request = child.requests().getFirst();
    assertThat(request.system()).startsWith("I am reviewer. look\n");
    assertThat(tools(child)).containsExactly("grep", "read");
    assertThat(task.subagentType()).isEqualTo("reviewer");
    assertThat(task.maxTurns()).isEqualTo(4);
    assertThat(task.timeoutMs()).isEqualTo(123_456);
  }

  /** Otherwise the rate of its failures does not see the first one. */
  @Test
  void everyOutcomeOfANewAgentIsCountedFromItsFirstTask() {
    folder.define("newcomer", "tools: Read");
    kit.child("look", model -> model.says("seen"));

    kit.awaitEnd(submit("look", Map.of("subagent_type", "newcomer")));

    var failed = registry.get("errand.tasks.ended").tags("agent", "newcomer", "outcome", "failed");
    assertThat(failed.counter().count()).isZero();
  }

  @Test
  void callOverridesTheDefinitionAndTheDefinitionOverridesTheParent() {
    folder.define("reviewer", "model: QUICK", "maxTurns: 4", "timeoutMs: 123456");
    kit.children(_ -> new Script().says("seen"));

    var byDefinition = submit("one", Map.of("subagent_type", "reviewer"));
    var byCall =
        submit(
            "two",
            Map.of(
                "subagent_type",
                "reviewer",
                "model",
                "scripted:other",
                "max_turns",
                9,
                "timeout",
                99));
    var byParent = submit("three", Map.of("subagent_type", "reviewer", "model", "inherit"));
    var byAlias = submit("four", Map.of("model", "Quick"));

    assertThat(bounds(byDefinition)).isEqualTo(new Bounds("scripted:quick", 4, 123_456));
    assertThat(bounds(byCall)).isEqualTo(new Bounds("scripted:other", 9, 99));
    assertThat(bounds(byParent)).isEqualTo(new Bounds("scripted:children", 4, 123_456));
    assertThat(bounds(byAlias).model()).isEqualTo("scripted:quick");
  }

  @Test
  void unknownAliasIsRefusedWithAListOfKnownAliases() {
    kit.post(Map.of("description", "a task", "prompt", "go", "model", "gpt"))
        .then()
        .statusCode(400)
        .body("errors[0].field", equalTo("model"))
        .body("errors[0].message", startsWith("The model 'gpt' is not of the form"))
        .body(
            "errors[0].message",
            containsString("known aliases: fable, haiku, opus, quick, sonnet"));
  }

  @Test
  void aliasThatIsNotConfiguredMeansTheModelOfTheSessionAndTheResultSaysSo() {
    folder.define("reviewer", "model: Sonnet");
    kit.child("look", model -> model.says("seen"));
    kit.child("read", model -> model.says("read"));
    kit.child("more", model -> model.says("more"));
    var parent =
        kit.session(model ->
            model
                .calls(
                    Call.of("task", task("look", "reviewer")),
                    Call.of("task", Map.of("description", "x", "prompt", "read", "model", "Haiku")))
                .says("done"));

    kit.say(parent, "Go.");
    kit.awaitRest(parent);

    var model = kit.look(parent).model();
    assertThat(kit.tasksOf(parent)).allMatch(task -> task.model().equals(model));
    var note =
        "the model alias '%s' is not configured (errand.model-aliases.%s), so the model of the session was used: %s";
    assertThat(kit.toolResults(parent))
        .extracting(result -> result.text())
        .satisfiesExactly(
            first ->
                assertThat(first)
                    .contains("Note: " + note.formatted("sonnet", "sonnet", model) + "\n<task_"),
            second -> assertThat(second).contains(note.formatted("Haiku", "haiku", model)));
    assertThat(toolNamed("task", kit.requests(parent).getFirst().tools()))
        .contains(
            "fable, haiku (small), opus (large), quick, sonnet (medium)",
            "they mean your own model: fable, haiku, opus, sonnet",
            "Use a small one for");
    var posted =
        kit.post(Map.of("description", "x", "prompt", "more", "model", "opus", "background", true));
    var expected = note.formatted("opus", "opus", "scripted:children");
    posted
        .then()
        .body("metadata.notes", contains(expected))
        .body("output", containsString("Note: " + expected));
    var id = posted.<String>path("metadata.task_id");
    kit.awaitEnd(TaskId.parse(id).orElseThrow());
    given().get("/v1/tasks/{id}", id).then().body("notes", contains(expected));
  }

  @Test
  void thoroughnessDecidesTheTurnsOfExploreUnlessTheCallDoes() {
    kit.children(_ -> new Script().says("seen").says("more"));

    var levels =
        Stream.of("quick", "medium", "thorough")
            .map(level -> submit(level, Map.of("subagent_type", "Explore", "thoroughness", level)))
            .toList();
    var byCall =
        submit("nine", Map.of("subagent_type", "explore", "thoroughness", "quick", "max_turns", 9));
    var plain = submit("plain", Map.of("subagent_type", "explore"));

    assertThat(levels).extracting(task -> bounds(task).maxTurns()).containsExactly(6, 15, 30);
    assertThat(bounds(byCall).maxTurns()).isEqualTo(9);
    assertThat(bounds(plain).maxTurns()).isEqualTo(15);
    assertThat(kit.transcript(kit.look(byCall).child()).getFirst().text())
        .startsWith("nine\n\nThoroughness: quick; look only in the likeliest places");
    assertThat(kit.transcript(kit.look(plain).child()).getFirst().text()).isEqualTo("plain");
    given()
        .get("/v1/tasks/{id}", byCall.toString())
        .then()
        .body("thoroughness", equalTo("quick"))
        .body("notes", empty());
    var continued = continueChild(levels.getLast(), Map.of("thoroughness", "quick"));
    assertThat(bounds(continued).maxTurns()).isEqualTo(6);
  }

  @Test
  void otherAgentsRefuseThoroughness() {
    kit.child("look", model -> model.says("seen"));
    var task = kit.awaitEnd(submit("look", Map.of("subagent_type", "general")));

    for (var asked :
        List.of(
            Map.<String, Object>of("subagent_type", "plan"),
            Map.<String, Object>of(
                "parent_session_id", task.parent().toString(),
                "session_id", task.child().toString()))) {
      var body = new HashMap<>(asked);
      body.putAll(Map.of("description", "x", "prompt", "look", "thoroughness", "quick"));
      kit.post(body)
          .then()
          .statusCode(400)
          .body("errors[0].field", equalTo("thoroughness"))
          .body("errors[0].message", startsWith("only the agent explore takes it, not "));
    }
  }

  @Test
  void sessionStoresTheModelBehindAnAlias() {
    given()
        .contentType("application/json")
        .body(Map.of("kind", "external", "model", "quick"))
        .post("/v1/sessions")
        .then()
        .statusCode(201)
        .body("model", equalTo("scripted:quick"));
  }

  @Test
  void agentWithAnUnusableModelIsRefusedUnlessTheCallNamesAnotherModel() {
    folder.define("reviewer", "model: nobody:knows");
    kit.child("look", model -> model.says("seen"));

    kit.post(Map.of("description", "a task", "prompt", "go", "subagent_type", "reviewer"))
        .then()
        .statusCode(400)
        .body("errors[0].message", startsWith("the model of agent reviewer cannot be used: "));
    kit.awaitEnd(submit("look", Map.of("subagent_type", "reviewer", "model", "inherit")));
  }

  @Test
  void brokenFileIsShownWithItsLineAndItsAgentStaysAsItWas() {
    folder.define("reviewer", "maxTurns: 4");
    folder.write("reviewer.md", "---\nname: reviewer\ndescription: x\nmaxTurns: no\n---\nHi.");
    folder.write("topic/other.md", "---\nname: other\ndescription: x: y\n---\nHi.");

    folder.reload().then().statusCode(200).body("problems.file", contains("reviewer.md"));

    given()
        .get("/v1/agents")
        .then()
        .statusCode(200)
        .body("problems.size()", is(1))
        .body("problems[0].file", equalTo("reviewer.md"))
        .body("problems[0].line", is(4))
        .body(
            "problems[0].message",
            equalTo(
                "'maxTurns' must be a whole number from 1 to 1000; its agent stays as it was"
                    + " before"))
        .body("items.name", hasItems("reviewer", "other", "explore"));
    given().get("/v1/agents/reviewer").then().statusCode(200).body("max_turns", is(4));
    given().get("/v1/agents/other").then().body("parent", nullValue());
    assertThat(registry.get("errand.agent.files.broken").gauge().value()).isEqualTo(1);
    folder.clear();
    given().get("/v1/agents").then().body("problems", empty());
    assertThat(registry.get("errand.agent.files.broken").gauge().value()).isZero();
  }

  @Test
  void reloadReturnsTheNumberOfAgentsAndWarnings() {
    folder.write("a.md", "---\nname: a\ndescription: x\nflavour: mint\n---\nHi.");

    folder
        .reload()
        .then()
        .statusCode(200)
        .body("agents", is(given().get("/v1/agents").<List<?>>path("items").size()))
        .body("warnings.size()", is(1))
        .body("warnings[0]", startsWith("a.md:4: unknown key 'flavour'"));
  }

  @Test
  void agentIsShownWithItsSettings() {
    folder.define("lead", "mode: all", "subagents: [explore]", "model: quick", "maxRetries: 1");

    given()
        .get("/v1/agents/LEAD")
        .then()
        .statusCode(200)
        .body("mode", equalTo("all"))
        .body("model", equalTo("scripted:quick"))
        .body("subagents", contains("explore"))
        .body("max_retries", is(1))
        .body("timeout_ms", is(300_000))
        .body("source", equalTo("lead.md"))
        .body("tools", hasItems("task", "read"));
    given()
        .get("/v1/agents/general")
        .then()
        .body("source", equalTo("built_in"))
        .body("model", nullValue());
  }

  @Test
  void runKeepsTheDefinitionItStartedWith() {
    folder.define("reviewer");
    var gate = new Gate();
    var child =
        kit.child(
            "look",
            model -> model.at(gate).calls("list", Map.of()).thenSays("seen").thenSays("again"));
    var task = submit("look", Map.of("subagent_type", "reviewer"));
    gate.awaitArrivals(1);

    folder.write("reviewer.md", "---\nname: reviewer\ndescription: x\n---\nNew prompt.");
    folder.reload().then().statusCode(200);
    gate.open();
    kit.awaitEnd(task);
    kit.awaitEnd(continueChild(task));

    assertThat(child.requests())
        .extracting(request -> request.system().lines().findFirst().orElseThrow())
        .containsExactly("I am reviewer. look", "I am reviewer. look", "New prompt.");
  }

  @Test
  void runOfARemovedAgentFailsWithAgentUnknown() {
    folder.define("reviewer");
    kit.child("look", model -> model.says("seen"));
    var task = kit.awaitEnd(submit("look", Map.of("subagent_type", "reviewer")));

    folder.clear();
    var next = kit.awaitEnd(continueChild(task.id()));

    assertThat(next.state()).isEqualTo(TaskState.FAILED);
    given()
        .get("/v1/tasks/{id}", next.id().toString())
        .then()
        .body("error.code", equalTo("agent_unknown"))
        .body("error.message", startsWith("there is no agent 'reviewer' any more"));
  }

  @Test
  void childDelegatesToItsSubagentsOnly() {
    folder.define("lead", "subagents: [explore]");
    var lead =
        kit.child(
            "lead",
            model ->
                model
                    .calls(
                        Call.of("task", task("find", "Explore")),
                        Call.of("task", task("do", "general")),
                        Call.of("task", task("magic", "wizard")),
                        Call.of("spawn", Map.of("task", "x")))
                    .thenSays("done"));
    var found = kit.child("find", model -> model.says("found"));

    var task = kit.awaitEnd(submit("lead", Map.of("subagent_type", "lead")));

    assertThat(tools(lead)).contains("task", "task_output", "task_cancel").doesNotContain("spawn");
    assertThat(description(lead)).contains("- explore: ").doesNotContain("- general", "- lead");
    assertThat(tools(found)).contains("read").doesNotContain("task", "task_output");
    assertThat(kit.toolResults(task.child()))
        .extracting(result -> result.text())
        .satisfiesExactly(
            first -> assertThat(first).contains("found"),
            second ->
                assertThat(second)
                    .contains(
                        "may not delegate to general: denied by the definition of its agent (rule:")
                    .contains("; agents you may use: explore"),
            third ->
                assertThat(third).contains("unknown agent 'wizard'; agents you may use: explore"),
            fourth -> assertThat(fourth).containsAnyOf("Permission denied", "There is no tool"));
  }

  @Test
  void privateAgentTakesOnlyTasksOfItsParent() {
    folder.write("lead/scout.md", "---\nname: scout\ndescription: Looks.\n---\nI scout.");
    folder.define("lead", "tools: Read", "maxTurns: 9");
    var lead =
        kit.child(
            "lead",
            model ->
                model
                    .calls(
                        Call.of("task", task("find", "Scout")), Call.of("task", task("x", "plan")))
                    .thenSays("done"));
    var scout = kit.child("find", model -> model.says("found"));

    var task = kit.awaitEnd(submit("lead", Map.of("subagent_type", "lead")));

    assertThat(tools(lead))
        .containsExactly("read", "task", "task_cancel", "task_list", "task_output");
    assertThat(description(lead))
        .contains("- scout: Looks. Tools: ")
        .doesNotContain("lead/", "- plan");
    assertThat(kit.toolResults(task.child()))
        .extracting(result -> result.text())
        .satisfiesExactly(
            first -> assertThat(first).startsWith("found"),
            second -> assertThat(second).contains("agents you may use: scout"));
    assertThat(scout.requests().getFirst().system()).startsWith("I scout.");
    assertThat(tools(scout)).containsExactly("read");
    var found = kit.tasksOf(task.child()).getFirst();
    assertThat(found.subagentType()).isEqualTo("lead/scout");
    for (var name : List.of("scout", "lead/scout")) {
      kit.post(Map.of("description", "x", "prompt", "go", "subagent_type", name))
          .then()
          .statusCode(400)
          .body("errors[0].message", startsWith("unknown agent '%s'".formatted(name)));
    }
    given()
        .get("/v1/agents/lead/scout")
        .then()
        .statusCode(200)
        .body("parent", equalTo("lead"))
        .body("source", equalTo("lead/scout.md"));
    given().get("/v1/agents").then().body("items.name", hasItems("lead", "lead/scout"));
    given().get("/v1/agents/scout").then().statusCode(404);
  }

  @Test
  void privateAgentIsContinuedAfterItsDefinitionWasReadAgain() {
    folder.write("primary/scout.md", "---\nname: scout\ndescription: Looks.\n---\nI scout.");
    folder.reload().then().statusCode(200);
    var child = kit.child("find", model -> model.says("found").says("found more"));
    var task = submit("find", Map.of("subagent_type", "scout"));
    kit.awaitEnd(task);

    folder.write("primary/scout.md", "---\nname: scout\ndescription: Looks.\n---\nI look.");
    folder.reload().then().statusCode(200);
    var again = kit.awaitEnd(continueChild(task, Map.of("subagent_type", "Scout")));

    assertThat(again.state()).isEqualTo(TaskState.COMPLETED);
    assertThat(again.subagentType()).isEqualTo("primary/scout");
    assertThat(child.requests())
        .extracting(request -> request.system().lines().findFirst().orElseThrow())
        .containsExactly("I scout.", "I look.");
  }

  @Test
  void callTakesPrecedenceOverTheSettingAndTheSettingOverTheDefinition() {
    var child = kit.child("plan it", model -> model.says("planned"));
    kit.child("plan more", model -> model.says("planned"));

    var bySetting = submit("plan it", Map.of("subagent_type", "plan"));
    var byCall =
        submit("plan more", Map.of("subagent_type", "plan", "max_turns", 3, "timeout_ms", 5000));

    assertThat(bounds(bySetting)).isEqualTo(new Bounds("scripted:children", 12, 70_000));
    assertThat(bounds(byCall)).isEqualTo(new Bounds("scripted:children", 3, 5000));
    assertThat(child.requests().getFirst().system())
        .startsWith("You are a subagent that plans.")
        .contains("requester will see.\n\nMind the tests.\n");
    given().get("/v1/agents/plan").then().body("max_turns", is(12)).body("max_retries", is(2));
  }

  @Test
  void fileGrantsNoMoreThanTheParentHas() {
    folder.define("writer", "tools: [Write, Read, TodoWrite]", "subagents: '*'");
    var child =
        kit.child(
            "write it",
            model ->
                model
                    .calls("write", Map.of("file_path", "note.txt", "content", "hello"))
                    .thenSays("no"));
    var parent =
        kit.session(
            Map.of(
                "workspace",
                workspace.toString(),
                "permissions",
                List.of(rule("write", "*", "deny"), rule("task", "explore", "deny"))),
            model -> model.calls(Call.of("task", task("write it", "writer"))).thenSays("over"));

    kit.say(parent, "Go.");
    kit.awaitRest(parent);

    assertThat(tools(child)).contains("read", "todowrite", "task").doesNotContain("write");
    assertThat(description(child)).contains("- general: ").doesNotContain("- explore: ");
    assertThat(kit.toolResults(kit.childOf(parent)).getFirst().text())
        .startsWith("Permission denied");
    assertThat(workspace.resolve("note.txt")).doesNotExist();
  }

  @Test
  void allAgentsStandInTheSystemPromptAndAsManyAsFitAtTheParameter() {
    IntStream.range(10, 50)
        .forEach(number ->
            folder.write(
                "expert%d.md".formatted(number),
                "---\nname: expert%d\ndescription: Knows topic %d well.\n---\nI know.\n"
                    .formatted(number, number)));
    folder.reload().then().statusCode(200);
    var parent = kit.session(model -> model.says("hello"));

    kit.say(parent, "Hi.");
    kit.awaitRest(parent);

    var request = kit.requests(parent).getFirst();
    var task =
        request.tools().stream()
            .filter(tool -> tool.name().equals("task"))
            .findFirst()
            .orElseThrow();
    var parameter = task.parameters().at("/properties/subagent_type/description").asText();
    assertThat(task.description()).hasSizeBetween(600, 1_024).endsWith("pass its session_id.");
    assertThat(parameter)
        .hasSizeBetween(800, 1_024)
        .contains("\n- general: ", "\nMore, described in the system prompt: ")
        .endsWith("…");
    assertThat(request.system())
        .contains("The agents that you may use, as subagent_type of the tool task:\n- general: ")
        .contains("\n- expert10: Knows topic 10 well. Tools: edit, glob,")
        .contains("\n- expert49: Knows topic 49 well. Tools: edit, glob,");
    assertThat(toolsOf(kit.externalSession()))
        .contains("\\n- general: ", "\\n- expert10: ", "\\n- expert49: ")
        .doesNotContain("More, described in the system prompt");
  }

  private static String toolsOf(SessionId session) {
    return given().get("/v1/tools?session_id=" + session).then().extract().asString();
  }

  private TaskId submit(String prompt, Map<String, ?> more) {
    return kit.submit(kit.externalSession(), prompt, more);
  }

  private TaskId continueChild(TaskId task) {
    return continueChild(task, Map.of());
  }

  private TaskId continueChild(TaskId task, Map<String, ?> more) {
    var earlier = kit.look(task);
    var body = new HashMap<String, Object>(more);
    body.put("session_id", earlier.child().toString());
    return kit.submit(earlier.parent(), "continue", body);
  }

  private record Bounds(String model, int maxTurns, long timeoutMs) {}

  private Bounds bounds(TaskId task) {
    var ended = kit.awaitEnd(task);
    return new Bounds(ended.model(), ended.maxTurns(), ended.timeoutMs());
  }

  private static Map<String, String> task(String prompt, String agent) {
    return Map.of("description", "a task", "prompt", prompt, "subagent_type", agent);
  }

  private static Map<String, String> rule(String permission, String pattern, String action) {
    return Map.of("permission", permission, "pattern", pattern, "action", action);
  }

  private static List<String> tools(Script script) {
    return script.requests().getFirst().tools().stream().map(ToolDefinition::name).toList();
  }

  private static String description(Script script) {
    return toolNamed("task", script);
  }

  private static String toolNamed(String name, Script script) {
    return toolNamed(name, script.requests().getFirst().tools());
  }

  private static String toolNamed(String name, List<ToolDefinition> tools) {
    return tools.stream()
        .filter(tool -> tool.name().equals(name))
        .map(AgentFilesDbTest::descriptions)
        .findFirst()
        .orElseThrow();
  }

  /** The description of a tool and those of its parameters. */
  private static String descriptions(ToolDefinition tool) {
    return tool.description()
        + "\n"
        + String.join("\n", tool.parameters().findValuesAsText("description"));
  }
}
