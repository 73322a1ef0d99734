package dev.errand.story;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasKey;
import static org.hamcrest.Matchers.not;

import dev.errand.conversation.Content;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.ToolDefinition;
import dev.errand.kit.AgentFolder;
import dev.errand.kit.Gate;
import dev.errand.kit.HttpAnswer;
import dev.errand.kit.Script;
import dev.errand.kit.Script.Call;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.session.SessionState;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Permissions of a parent apply to its children. */
@QuarkusTest
class PermissionsDbTest implements Story {

  private static final List<String> NOT_FOR_CHILDREN =
      List.of("todowrite", "todoread", "task", "task_output", "task_cancel", "spawn", "message");

  @Inject TaskKit kit;
  @Inject AgentFolder folder;
  @TempDir Path workspace;

  @Test
  void ruleOfTheParentAppliesToTheChild() {
    var child = writer("deny me");
    var parent = parent(Map.of("permission", "write", "pattern", "*", "action", "deny"), "deny me");

    kit.say(parent, "Write.");
    kit.awaitRest(parent);

    assertThat(offered(child)).contains("read").doesNotContain("write");
    assertThat(kit.toolResults(kit.childOf(parent)))
        .singleElement()
        .satisfies(
            result -> assertThat(result.isError()).isTrue(),
            result -> assertThat(result.text()).startsWith("Permission denied"));
    assertThat(workspace.resolve("note.txt")).doesNotExist();
  }

  @Test
  void childWritesWithoutADenyingRule() {
    var child = writer("let me");
    var parent = parent(Map.of("permission", "write", "pattern", "*", "action", "allow"), "let me");

    kit.say(parent, "Write.");
    kit.awaitRest(parent);

    assertThat(offered(child)).contains("write");
    assertThat(workspace.resolve("note.txt")).hasContent("hello");
  }

  @Test
  void ruleForPathsAppliesToTheChildInEverySpelling() throws Exception {
    Files.createDirectory(workspace.resolve("secret"));
    Files.writeString(workspace.resolve("secret/key"), "hunter2");
    kit.child(
        "peek",
        model ->
            model
                .calls(
                    Call.of("read", Map.of("file_path", "secret/key")),
                    Call.of("read", Map.of("file_path", "./secret/../secret/key")),
                    Call.of("read", Map.of("file_path", workspace + "/secret/key")))
                .thenSays("nothing"));
    var parent =
        parent(Map.of("permission", "read", "pattern", "secret/*", "action", "deny"), "peek");

    kit.say(parent, "Peek.");
    kit.awaitRest(parent);

    assertThat(kit.toolResults(kit.childOf(parent)))
        .hasSize(3)
        .allSatisfy(result -> assertThat(result.text()).startsWith("Permission denied"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"general", "explore", "plan"})
  void childIsNotOfferedToolsOfParents(String agent) {
    var child = kit.child("look", model -> model.says("seen"));

    kit.awaitEnd(kit.submit(kit.externalSession(), "look", Map.of("subagent_type", agent)));

    assertThat(offered(child)).contains("read").doesNotContainAnyElementsOf(NOT_FOR_CHILDREN);
  }

  @Test
  void delegationOfAChildIsRefusedAndTheChildContinues() {
    kit.child("delegate", model -> model.callsTask("not mine").thenSays("did it myself"));

    var task = kit.awaitEnd(kit.submit(kit.externalSession(), "delegate"));

    assertThat(task.outcome().orElseThrow().result()).isEqualTo("did it myself");
    assertThat(kit.toolResults(task.child()).getFirst().text()).startsWith("Permission denied");
    assertThat(kit.tasksOf(task.child())).isEmpty();
  }

  @Test
  void exploreAgentIsOfferedNeitherWriteNorEdit() {
    var child = kit.child("look", model -> model.says("seen"));

    kit.awaitEnd(kit.submit(kit.externalSession(), "look", Map.of("subagent_type", "Explore")));

    assertThat(offered(child)).contains("grep").doesNotContain("write", "edit");
  }

  @Test
  void rulesOfACallLimitTheChildAndAreShownForever() {
    var child = writer("no writing");
    var parent = kit.externalSession(Map.of("workspace", workspace.toString()));
    var fields =
        Map.of("cleanup", "delete", "permissions", List.of(allow("*"), deny("tool", "Write")));

    var task = kit.awaitEnd(kit.submit(parent, "no writing", fields));

    assertThat(offered(child)).contains("read", "edit").doesNotContain("write");
    assertThat(kit.toolResults(task.child()).getFirst().text())
        .isEqualTo(
            "Permission denied: this session may not use write: denied by the permissions that it"
                + " was created with (rule: deny write on *).");
    given().post("/v1/tasks/{id}/ack", task.id().toString()).then().statusCode(200);
    kit.awaitState(task.child(), SessionState.CLOSED);
    var shown = show("/v1/tasks/", task.id());
    var offered = new ArrayList<>(shown.<List<String>>path("tools"));
    offered.remove("skill"); // there is none
    assertThat(show("/v1/tools?session_id=", task.child()).<Object>path("tools.function.name"))
        .isEqualTo(offered);
    assertThat(shown.<List<?>>path("permissions.find { it.from == 'request' }.rules"))
        .isEqualTo(
            List.of(
                Map.of("permission", "*", "pattern", "*", "action", "allow"),
                Map.of("permission", "write", "pattern", "*", "action", "deny")));
    assertThat(shown.<List<String>>path("permissions.from")).containsExactly("agent", "request");
    assertThat(shown.<List<String>>path("tools")).contains("edit").doesNotContain("write", "task");
    assertThat(show("/v1/sessions/", task.child()).<Object>path("permissions"))
        .isEqualTo(shown.path("permissions"));
    given()
        .get("/v1/sessions/{id}/tasks", parent.toString())
        .then()
        .body("items[0]", allOf(not(hasKey("permissions")), not(hasKey("tools"))));
  }

  @Test
  void rulesOfACallDoNotWiden() {
    var child = kit.child("look", model -> model.says("seen"));
    var fields =
        Map.of(
            "subagent_type",
            "explore",
            "permissions",
            List.of(allow("write"), allow("task"), allow("skill_write")));

    kit.awaitEnd(kit.submit(kit.externalSession(), "look", fields));

    assertThat(offered(child)).contains("read").doesNotContain("write", "task", "skill_write");
  }

  @Test
  void modelLimitsWhatItDelegates() {
    var rules = List.of(deny("edit", "*"));
    var first = kit.child("first", model -> model.says("done"));
    var second = kit.child("second", model -> model.says("done"));
    var third = kit.child("third", model -> model.says("done"));
    var command =
        "task:general --prompt third --permissions"
            + " '[{\"permission\": \"edit\", \"pattern\": \"*\", \"action\": \"deny\"}]'";
    var parent =
        kit.session(model ->
            model
                .calls(
                    Call.of(
                        "task",
                        Map.of("description", "a", "prompt", "first", "permissions", rules)),
                    Call.of("spawn", Map.of("task", "second", "permissions", rules)),
                    Call.of("bash", Map.of("command", command)),
                    Call.of(
                        "spawn",
                        Map.of("task", "fourth", "permissions", List.of(deny("Bsh", "*")))),
                    Call.of(
                        "task",
                        Map.of("description", "a", "prompt", "x", "permissions", List.of("no"))))
                .saysForever("over"));

    kit.say(parent, "Go.");
    kit.awaitRest(parent);

    assertThat(List.of(first, second, third))
        .allSatisfy(child -> assertThat(offered(child)).contains("write").doesNotContain("edit"));
    assertThat(kit.toolResults(parent))
        .extracting(Content.ToolResult::text)
        .satisfies(
            texts ->
                assertThat(texts.get(3)).contains("permissions[0].permission: unknown name 'Bsh'"),
            texts -> assertThat(texts.get(4)).contains("permissions[0]: must be an object"));
    assertThat(kit.tasksOf(parent)).hasSize(3);
  }

  /** Each layer is evaluated on its own: the grandchild's rule that allows has no effect. */
  @Test
  void grandchildHasTheLimitsOfAllItsAncestors() {
    folder.define("lead", "subagents: [explore]");
    kit.child(
        "lead",
        model ->
            model
                .calls(
                    Call.of(
                        "task",
                        Map.of(
                            "description", "a",
                            "prompt", "find",
                            "subagent_type", "explore",
                            "permissions", List.of(allow("*"), deny("list", "*")))))
                .thenSays("done"));
    var grandchild =
        kit.child(
            "find",
            model ->
                model
                    .calls(
                        Call.of("webfetch", Map.of("url", "https://example.org")),
                        Call.of("glob", Map.of("pattern", "*")))
                    .thenSays("nothing"));
    var root = kit.externalSession(Map.of("permissions", List.of(deny("webfetch", "*"))));
    var fields =
        Map.of("subagent_type", "lead", "permissions", List.of(deny("glob", "*"), allow("list")));

    var task = kit.awaitEnd(kit.submit(root, "lead", fields));

    assertThat(offered(grandchild))
        .contains("read", "grep")
        .doesNotContain("webfetch", "glob", "list", "write");
    var below = kit.tasksOf(task.child()).getFirst();
    assertThat(kit.toolResults(below.child()))
        .extracting(Content.ToolResult::text)
        .allSatisfy(text -> assertThat(text).contains("denied by the permissions of its parent"));
    var shown = show("/v1/tasks/", below.id());
    assertThat(shown.<List<String>>path("permissions.from"))
        .containsExactly("parent", "parent", "parent", "agent", "agent", "request");
    assertThat(
            shown.<List<String>>path(
                "permissions.findAll { it.from == 'parent' }.rules.permission"))
        .contains("webfetch", "glob", "task");
    folder.clear();
  }

  @Test
  void childThatIsContinuedKeepsItsRights() {
    kit.child("look", model -> model.says("seen").says("seen again"));
    var parent = kit.externalSession();
    var task = kit.awaitEnd(kit.submit(parent, "look", permissions(deny("edit", "*"))));
    var again =
        Map.of(
            "parent_session_id",
            parent.toString(),
            "session_id",
            task.child().toString(),
            "description",
            "again",
            "prompt",
            "again",
            "background",
            true);
    var wider = new HashMap<String, Object>(again);
    wider.put("permissions", List.of(allow("*")));

    kit.post(wider)
        .then()
        .statusCode(400)
        .body("errors[0].field", equalTo("permissions"))
        .body("errors[0].message", containsString("fixed when the child session was created"));
    kit.post(again).then().statusCode(202);
    kit.awaitRest(parent);

    assertThat(kit.tasksOf(parent)).hasSize(2);
    assertThat(show("/v1/tasks/", kit.tasksOf(parent).getLast().id()).<Object>path("permissions"))
        .isEqualTo(show("/v1/tasks/", task.id()).path("permissions"));
  }

  @Test
  void taskThatWaitsForTheLimitOfItsParentKeepsItsRights() {
    var gate = new Gate();
    kit.child("first", model -> model.at(gate).says("done"));
    var second = kit.child("second", model -> model.says("done"));
    var parent = kit.limitedSession(Map.of("max_background_tasks", 1));
    kit.submit(parent, "first");
    gate.awaitArrivals(1);

    var queued = kit.submit(parent, "second", permissions(deny("edit", "*")));
    gate.open();
    kit.awaitEnd(queued);

    assertThat(offered(second)).contains("write").doesNotContain("edit");
  }

  /** The second task waits in the queue of the child that the first one keeps busy. */
  @Test
  void taskInTheQueueOfAChildHasTheRightsOfTheChild() {
    var gate = new Gate();
    var child = new Script().at(gate).says("first").says("second");
    kit.children(_ -> child);
    var parent = kit.externalSession(Map.of("permissions", List.of(deny("webfetch", "*"))));
    for (var purpose : List.of("one", "two")) {
      given()
          .contentType("application/json")
          .header("Prefer", "wait=0")
          .body(Map.of("command", "task:skill:search --prompt " + purpose))
          .post("/v1/sessions/{id}/commands", parent.toString())
          .then()
          .statusCode(202);
    }
    gate.awaitArrivals(1);
    var tasks = kit.tasksOf(parent);

    var queued = show("/v1/tasks/", tasks.getLast().id());
    gate.open();
    kit.awaitEnd(tasks.getLast().id());

    assertThat(queued.<String>path("state")).isEqualTo("pending");
    assertThat(queued.<List<String>>path("permissions.from"))
        .containsExactly("parent", "agent", "agent");
    assertThat(queued.<List<String>>path("tools"))
        .contains("skill_write")
        .doesNotContain("webfetch");
    assertThat(child.requests())
        .hasSize(2)
        .allSatisfy(request ->
            assertThat(request.tools().stream().map(ToolDefinition::name))
                .doesNotContain("webfetch")
                .isSubsetOf(queued.<List<String>>path("tools")));
  }

  @Test
  void rulesAreAPartOfARequestThatIsRepeated() {
    kit.child("look", model -> model.says("seen"));
    var parent = kit.externalSession();
    var key = "rights-" + parent;

    keyed(key, parent, deny("edit", "*")).statusCode(202);
    keyed(key, parent, deny("edit", "*")).statusCode(202);
    keyed(key, parent, allow("edit"))
        .statusCode(422)
        .body("errors[0].field", equalTo("Idempotency-Key"));

    assertThat(kit.tasksOf(parent)).hasSize(1);
  }

  private static HttpAnswer keyed(String key, SessionId parent, Map<String, String> rule) {
    return given()
        .header("Idempotency-Key", key)
        .contentType("application/json")
        .body(
            Map.of(
                "parent_session_id",
                parent.toString(),
                "description",
                "a",
                "prompt",
                "look",
                "background",
                true,
                "permissions",
                List.of(rule)))
        .post("/v1/tasks")
        .then();
  }

  @Test
  void rulesAreBoundedAndTheirNamesExist() {
    var many = Collections.nCopies(101, deny("edit", "*"));
    var body = Map.of("description", "a", "prompt", "look", "background", true);

    refused(body, many).body("errors[0].message", equalTo("must have at most 100 entries"));
    refused(body, List.of(deny("Bsh", "*")))
        .body("errors[0].field", equalTo("permissions[0].permission"))
        .body("errors[0].message", containsString("unknown name 'Bsh'; tools: bash, edit"));
    refused(body, List.of(deny("edit", "x".repeat(1001))))
        .body("errors[0].field", equalTo("permissions[0].pattern"));
  }

  /** However deep a tree is, the rules of a session can be stored and shown. */
  @Test
  void rulesOfAllGenerationsAreBounded() {
    folder.define("lead", "subagents: [lead]");
    var gate = new Gate();
    kit.children(_ -> new Script().at(gate).says("done").saysForever("done"));
    var root = kit.externalSession(Map.of("limits", Map.of("max_depth", 5)));
    var at = root;
    for (int generation = 0; generation < 4; generation++) {
      at = kit.look(kit.submit(at, "go " + generation, rules(generation))).child();
    }
    var body = new HashMap<String, Object>(rules(5));
    body.putAll(Map.of("parent_session_id", at.toString(), "description", "a", "prompt", "x"));

    kit.post(body)
        .then()
        .statusCode(400)
        .body("errors[0].field", equalTo("permissions"))
        .body("errors[0].message", containsString("at most 500"));
    gate.open();
    kit.awaitRest(root);
    folder.clear();
  }

  private static Map<String, ?> rules(int generation) {
    var rules =
        IntStream.range(0, 100).mapToObj(i -> deny("read", "no/" + generation + "/" + i)).toList();
    return Map.of("subagent_type", "lead", "permissions", rules);
  }

  private HttpAnswer refused(Map<String, ?> body, List<?> rules) {
    var all = new HashMap<String, Object>(body);
    all.put("permissions", rules);
    return kit.post(all).then().statusCode(400);
  }

  private static HttpAnswer show(String path, Object id) {
    return given().get(path + id).then().statusCode(200).extract();
  }

  private static Map<String, ?> permissions(Map<String, String> rule) {
    return Map.of("permissions", List.of(rule));
  }

  private static Map<String, String> allow(String permission) {
    return Map.of("permission", permission, "pattern", "*", "action", "allow");
  }

  private static Map<String, String> deny(String permission, String pattern) {
    return Map.of("permission", permission, "pattern", pattern, "action", "deny");
  }

  private Script writer(String prompt) {
    return kit.child(
        prompt,
        model ->
            model
                .calls("write", Map.of("file_path", "note.txt", "content", "hello"))
                .thenSays("done"));
  }

  private SessionId parent(Map<String, String> rule, String prompt) {
    return kit.session(
        Map.of("workspace", workspace.toString(), "permissions", List.of(rule)),
        model -> model.callsTask(prompt).thenSays("over"));
  }

  private static List<String> offered(Script child) {
    return child.requests().getFirst().tools().stream().map(ToolDefinition::name).toList();
  }
}
