package dev.errand.story;

import static dev.errand.kit.Http.given;
import static dev.errand.kit.WebhookReceiver.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.is;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.errand.conversation.SessionId;
import dev.errand.hook.HookKit;
import dev.errand.kit.AgentFolder;
import dev.errand.kit.Gate;
import dev.errand.kit.Script.Call;
import dev.errand.kit.SkillKit;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.kit.TestDatabase;
import dev.errand.kit.WebhookReceiver;
import dev.errand.kit.WebhookReceiver.Post;
import dev.errand.model.ModelException.Code;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Hooks with real endpoints and real commands. */
@QuarkusTest
class HooksDbTest implements Story {

  private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

  @Inject TaskKit kit;
  @Inject HookKit hooks;
  @Inject AgentFolder folder;
  @Inject SkillKit skills;
  @Inject ObjectMapper mapper;
  @Inject MeterRegistry meters;

  @TempDir Path temporary;

  private final WebhookReceiver receiver = new WebhookReceiver();

  /** An event that no hook has heard yet would reach the hooks of the next test. */
  @AfterEach
  void close() {
    try {
      await()
          .until(() ->
              kit.row("select count(*) from outbox where target = 'hook'", Integer.class) == 0);
    } finally {
      hooks.clear();
      skills.clear();
      receiver.close();
    }
  }

  @Test
  void endpointDeniesACallWithAReasonThatTheModelReads() throws Exception {
    receiver.answers(
        WebhookReceiver.json("{\"decision\": \"deny\", \"reason\": \"not on a Sunday\"}"));
    configure(
        "guard.url",
        receiver.url(),
        "guard.secret",
        SECRET,
        "guard.events",
        "tool.before",
        "guard.tools",
        "Write,mcp__*");
    var session = session(call("write", Map.of("file_path", "note.txt", "content", "x")));

    assertThat(results(session)).hasSize(2).contains("Denied by the hook 'guard': not on a Sunday");
    assertThat(temporary.resolve("note.txt")).doesNotExist();
    var post = receiver.awaitPosts(1).getFirst();
    WebhookReceiver.verify(post, SECRET);
    var event = read(post);
    assertThat(event.get("id").asText()).startsWith("hook_").isEqualTo(post.header("webhook-id"));
    assertThat(event.get("event").asText()).isEqualTo("tool.before");
    assertThat(event.get("session_id").asText()).isEqualTo(session.toString());
    assertThat(event.get("task_id").isNull()).isTrue();
    assertThat(event.get("agent").asText()).isEqualTo("primary");
    assertThat(event.at("/tool/name").asText()).isEqualTo("write");
    assertThat(event.at("/tool/arguments/file_path").asText()).isEqualTo("note.txt");
    assertThat(event.at("/tool/call_id").asText()).startsWith("call_");
    assertThat(event.has("tool_name")).isFalse();
    assertThat(receiver.posts()).as("no other tool is asked about").hasSize(1);
    assertThat(toolEvents(session)).isEqualTo("write ended denied, list started, list ended done");
    assertThat(counted("guard", "tool.before", "denied")).isPositive();
  }

  @Test
  void firstDenialWinsAndIsTheErrorOutputOfACommandThatEndsWith2() {
    var second = temporary.resolve("second");
    configure(
        "first.command", shell("cat > /dev/null; echo too dangerous >&2; exit 2"),
        "first.events", "tool.before",
        "second.command", shell("touch " + second),
        "second.events", "tool.before,tool.after",
        "second.tools", "write");

    var session = session(call("write", Map.of("file_path", "note.txt", "content", "x")));

    var denial = "Denied by the hook 'first': too dangerous";
    assertThat(results(session)).containsExactly(denial, denial);
    assertThat(second).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "exit 1; the hook ended with exit code 1",
        "echo '{\"decision\": '; the hook gave an answer that is not JSON",
        "echo '{\"decision\": \"perhaps\"}'; the hook gave a decision that is neither allow nor deny",
        "echo $$ > pid, sleep 60 & echo $! >> pid, wait; the hook did not end in time"
      })
  void hookThatFailsOrIsLateDeniesUnlessTheOperatorAllows(String script, String problem)
      throws IOException {
    var pids = temporary.resolve("pid");
    var command = shell(script.replace(",", ";").replace(" pid", " " + pids));
    for (var policy : List.of("deny", "allow")) {
      configure(
          "guard.command",
          command,
          "guard.events",
          "tool.before",
          "guard.tools",
          "list",
          "guard.timeout",
          script.contains("sleep") ? "300ms" : "60s",
          "guard.on-error",
          policy);

      assertThat(results(session()).getFirst().equals("Denied by the hook 'guard': " + problem))
          .isEqualTo(policy.equals("deny"));
    }
    if (Files.exists(pids)) {
      for (var pid : Files.readAllLines(pids)) {
        await("process " + pid + " is gone")
            .until(() ->
                ProcessHandle.of(Long.parseLong(pid)).filter(ProcessHandle::isAlive).isEmpty());
      }
    }
  }

  @Test
  void endpointThatFailsOrIsLateDenies() {
    configure("far.url", receiver.url(), "far.events", "tool.before", "far.timeout", "30s");

    receiver.answers(status(500));
    assertThat(results(session()))
        .containsExactly("Denied by the hook 'far': the hook answered with HTTP 500");
    configure("far.url", receiver.url(), "far.events", "tool.before", "far.timeout", "300ms");
    receiver.answers(status(200).withDelay(Duration.ofSeconds(20)));
    assertThat(results(session()))
        .containsExactly("Denied by the hook 'far': the hook did not answer in time");
    assertThat(counted("far", "tool.before", "late")).isEqualTo(1);
  }

  @Test
  void resultReachesAHookWithoutTheSecretsOfTheService() throws IOException {
    var heard = temporary.resolve("heard.json");
    var environment = temporary.resolve("environment");
    Files.writeString(temporary.resolve("key.txt"), "the key is " + TestDatabase.SECRET);
    configure(
        "audit.command", shell("env > %s; cat > %s; exit 1".formatted(environment, heard)),
        "audit.events", "tool.after",
        "audit.tools", "read");

    var session = session(call("read", Map.of("file_path", "key.txt")));

    assertThat(results(session).getLast()).contains("the key is ***");
    var tool = mapper.readTree(Files.readString(heard)).get("tool");
    assertThat(tool.get("result").asText()).contains("the key is ***");
    assertThat(tool.get("is_error").asBoolean()).isFalse();
    assertThat(Files.readAllLines(environment))
        .extracting(line -> line.replaceAll("=.*", ""))
        .isSubsetOf(
            "PATH",
            "HOME",
            "USER",
            "LOGNAME",
            "TMPDIR",
            "LANG",
            "LANGUAGE",
            "LC_ALL",
            "LC_CTYPE",
            "TZ",
            "TERM",
            "JAVA_HOME",
            "PWD",
            "OLDPWD",
            "SHLVL",
            "_");
  }

  @Test
  void toolCallOfAnExternalSessionIsAskedAbout() {
    configure(
        "guard.command",
        shell("grep -q note.txt && echo no notes >&2 && exit 2"),
        "guard.events",
        "tool.before");
    var rule = Map.of("permission", "write", "pattern", "*", "action", "allow");
    var session =
        kit.externalSession(
            Map.of("workspace", temporary.toString(), "permissions", List.of(rule)));

    given()
        .contentType("application/json")
        .body(
            Map.of(
                "call_id", "one",
                "name", "write",
                "arguments", Map.of("file_path", "note.txt", "content", "x")))
        .post("/v1/sessions/{id}/tool-calls", session.toString())
        .then()
        .statusCode(200)
        .body("is_error", is(true), "state", is("denied"))
        .body("content", is("Denied by the hook 'guard': no notes"));
    assertThat(temporary.resolve("note.txt")).doesNotExist();
  }

  /** The call has ended by then: nothing that looks for lost calls may end the hook. */
  @Test
  void slowHookHearsTheResultOfAClientsCall() throws IOException {
    var began = temporary.resolve("began");
    var go = temporary.resolve("go");
    configure(
        "patient.command",
        shell("touch %s; until test -e %s; do sleep 0.1; done".formatted(began, go)),
        "patient.events",
        "tool.after");
    var rule = Map.of("permission", "list", "pattern", "*", "action", "allow");
    var session =
        kit.externalSession(
            Map.of("workspace", temporary.toString(), "permissions", List.of(rule)));

    given()
        .contentType("application/json")
        .body(Map.of("call_id", "one", "name", "list", "arguments", Map.of()))
        .post("/v1/sessions/{id}/tool-calls", session.toString())
        .then()
        .statusCode(200)
        .body("is_error", is(false));
    await().until(() -> Files.exists(began));
    await().during(Duration.ofMillis(2500)).until(() -> counted() == 0);
    Files.createFile(go);

    await().until(() -> counted("patient", "tool.after", "delivered") == 1);
  }

  private double counted() {
    return counted("patient", "tool.after", "delivered")
        + counted("patient", "tool.after", "failed");
  }

  @ParameterizedTest
  @CsvSource({
    "Task,  task:general --prompt dig --description 'a look', task,  prompt, dig",
    "skill, 'skill:load \"PDF\"',                             skill, name,   PDF"
  })
  void commandIsAskedAboutLikeTheToolThatDoesTheSame(
      String tools, String command, String tool, String field, String value) {
    receiver.answers(WebhookReceiver.json("{\"decision\": \"deny\", \"reason\": \"no\"}"));
    skills.define("pdf", "Reads PDF files.", "Use the tool.");
    configure("guard.url", receiver.url(), "guard.events", "tool.before", "guard.tools", tools);

    var session = session(call("bash", Map.of("command", command)));

    assertThat(results(session)).hasSize(2).contains("Denied by the hook 'guard': no");
    assertThat(kit.tasksOf(session)).isEmpty();
    var asked = read(receiver.awaitPosts(1).getFirst());
    assertThat(asked.at("/tool/name").asText()).isEqualTo(tool);
    assertThat(asked.at("/tool/arguments/" + field).asText()).isEqualTo(value);
  }

  @Test
  void hookOfAllToolsIsAskedAboutACommandAndAboutWhatItDoes() {
    receiver.answers(WebhookReceiver.json("{}"));
    configure("guard.url", receiver.url(), "guard.events", "tool.before");
    kit.child("dig", model -> model.says("gold"));
    var help = Map.of("command", "task:general --help");
    var command = Map.of("command", "task:general --prompt dig");
    var session =
        kit.session(
            model -> model.calls(call("bash", help)).calls(call("bash", command)).thenSays("done"));

    kit.say(session, "Work.");
    kit.awaitRest(session);

    var asked = receiver.awaitPosts(3).stream().map(this::read).toList();
    assertThat(asked)
        .extracting(event -> event.at("/tool/name").asText())
        .containsExactly("bash", "bash", "task");
    assertThat(asked.get(2).at("/tool/arguments/subagent_type").asText()).isEqualTo("general");
    assertThat(asked.get(2).at("/tool/call_id")).isEqualTo(asked.get(1).at("/tool/call_id"));
    assertThat(asked.get(2).get("id")).isNotEqualTo(asked.get(1).get("id"));
    assertThat(results(session).getLast()).contains("gold");
  }

  @Test
  void eventsOfATaskArriveInOrderAlsoAfterTheEndpointWasAway() throws Exception {
    var told = temporary.resolve("told");
    receiver.answers(status(503), status(200));
    configure(
        "post.url",
        receiver.url(),
        "post.secret",
        SECRET,
        "post.events",
        "task.created,task.started,task.ended",
        "run.command",
        shell("cat >> %s; echo >> %s".formatted(told, told)),
        "run.events",
        "task.started,task.ended,session.failed");
    kit.child("dig", model -> model.says("gold"));
    var parent = kit.externalSession();

    var task = kit.awaitEnd(kit.submit(parent, "dig"));
    var posts = receiver.awaitPosts(4);

    assertThat(posts.stream().map(post -> read(post).get("event").asText()))
        .containsExactly("task.created", "task.created", "task.started", "task.ended");
    assertThat(posts.get(1).header("webhook-id")).isEqualTo(posts.get(0).header("webhook-id"));
    assertThat(posts.get(1).body()).isEqualTo(posts.get(0).body());
    WebhookReceiver.verify(posts.get(3), SECRET);
    var ended = read(posts.get(3));
    assertThat(ended.get("task_id").asText()).isEqualTo(task.id().toString());
    assertThat(ended.get("session_id").asText()).isEqualTo(task.child().toString());
    assertThat(ended.get("agent").asText()).isEqualTo("general");
    assertThat(ended.at("/task/state").asText()).isEqualTo("completed");
    assertThat(ended.at("/task/parent_session_id").asText()).isEqualTo(parent.toString());
    await().until(() -> Files.exists(told) && Files.readAllLines(told).size() == 2);
    assertThat(Files.readAllLines(told))
        .extracting(line -> json(line).get("event").asText())
        .containsExactly("task.started", "task.ended");
    await()
        .until(
            () -> kit.row("select count(*) from outbox where target = 'hook'", Integer.class) == 0);
  }

  @Test
  void failureOfARootSessionIsTold() {
    configure("post.url", receiver.url(), "post.events", "session.failed");
    var session = kit.session(model -> model.fails(Code.MODEL_UNAUTHORIZED));

    kit.say(session, "Work.");
    var event = read(receiver.awaitPosts(1).getFirst());

    assertThat(event.get("event").asText()).isEqualTo("session.failed");
    assertThat(event.get("session_id").asText()).isEqualTo(session.toString());
    assertThat(event.get("agent").asText()).isEqualTo("primary");
    assertThat(event.at("/error/code").asText()).isEqualTo("model_unauthorized");
  }

  @Test
  void hooksOfAnAgentFileGetWhatTheyKnowFromClaudeCode() throws IOException {
    var stopped = temporary.resolve("stopped.json");
    folder.define(
        "careful",
        """
        hooks:
          PreToolUse:
            - matcher: LS
              hooks:
                - type: command
                  command: |
                    case "$(cat)" in *'"tool_name":"LS"'*'"tool_input":{'*) echo no listing >&2; exit 2;; esac
            - matcher: Write
              hooks:
                - {type: command, command: "echo checked"}
          SubagentStop:
            - hooks:
                - {type: command, command: "cat > %s"}
        """
            .formatted(stopped));
    try {
      var write = Map.of("file_path", "note.txt", "content", "x");
      kit.child(
          "look",
          model ->
              model.calls(Call.of("list", Map.of()), Call.of("write", write)).thenSays("done"));
      var parent =
          kit.session(
              Map.of("workspace", temporary.toString()),
              model ->
                  model
                      .calls(
                          Call.of("list", Map.of()),
                          Call.of(
                              "task",
                              Map.of(
                                  "description", "a task",
                                  "prompt", "look",
                                  "subagent_type", "careful")))
                      .thenSays("over"));

      kit.say(parent, "Go.");
      kit.awaitRest(parent);

      assertThat(results(kit.childOf(parent)))
          .satisfiesExactly(
              list ->
                  assertThat(list)
                      .matches("Denied by the hook 'careful:PreToolUse:[0-9a-f]{8}': no listing"),
              write2 -> assertThat(write2).contains("note.txt"));
      assertThat(results(parent).getFirst()).as("another agent").doesNotContain("Denied");
      await().until(() -> Files.exists(stopped) && Files.size(stopped) > 0);
      var stop = json(Files.readString(stopped));
      assertThat(stop.get("hook_event_name").asText()).isEqualTo("SubagentStop");
      assertThat(stop.get("agent_type").asText()).isEqualTo("careful");
      assertThat(stop.get("agent_id").asText()).isEqualTo(kit.childOf(parent).toString());
    } finally {
      folder.clear();
    }
  }

  @Test
  void runKeepsTheHooksOfItsAgentAfterTheAgentIsRemoved() {
    folder.define(
        "careful",
        """
        hooks:
          PreToolUse:
            - matcher: LS
              hooks:
                - {type: command, command: "echo no listing >&2; exit 2"}
        """);
    var gate = new Gate();
    kit.child("look", model -> model.at(gate).calls(call("list", Map.of())).thenSays("done"));
    var parent = kit.externalSession(Map.of("workspace", temporary.toString()));
    var task = kit.submit(parent, "look", Map.of("subagent_type", "careful"));
    gate.awaitArrivals(1);

    folder.clear();
    gate.open();

    var child = kit.awaitEnd(task).child();
    assertThat(results(child)).singleElement().asString().contains("no listing");
  }

  /** A hook has a minute, also on a busy machine, unless the test says otherwise. */
  private void configure(String... properties) {
    var given = new HashMap<String, String>();
    for (int i = 0; i < properties.length; i += 2) {
      given.put(properties[i], properties[i + 1]);
      given.putIfAbsent(properties[i].replaceFirst("[.].*", ".timeout"), "60s");
    }
    hooks.configure(given);
  }

  /** Without commas, because they separate words. */
  private static String shell(String script) {
    return "/bin/sh,-c," + script;
  }

  private static Call call(String tool, Map<String, ?> arguments) {
    return Call.of(tool, arguments);
  }

  /** A session at rest whose agent has listed its workspace and made these calls. */
  private SessionId session(Call... calls) {
    var all = new Call[calls.length + 1];
    all[0] = Call.of("list", Map.of());
    System.arraycopy(calls, 0, all, 1, calls.length);
    var session =
        kit.session(
            Map.of("workspace", temporary.toString()), model -> model.calls(all).thenSays("done"));
    kit.say(session, "Work.");
    kit.awaitRest(session);
    return session;
  }

  private List<String> results(SessionId session) {
    return kit.toolResults(session).stream().map(result -> result.text()).toList();
  }

  private String toolEvents(SessionId session) {
    return kit.row(
        """
        select string_agg(concat_ws(' ', data ->> 'name', substr(type, 6), data ->> 'state'), ', ' order by number)
        from event where type like 'tool.%%' and session_id = '%s'
        """
            .formatted(session.value()),
        String.class);
  }

  private double counted(String hook, String event, String outcome) {
    return meters
        .counter("errand.hook.calls", "hook", hook, "event", event, "outcome", outcome)
        .count();
  }

  private JsonNode read(Post post) {
    return json(post.body());
  }

  private JsonNode json(String text) {
    try {
      return mapper.readTree(text);
    } catch (JsonProcessingException exception) {
      throw new AssertionError(exception);
    }
  }
}
