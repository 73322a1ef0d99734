package dev.errand.story;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.errand.conversation.Content;
import dev.errand.conversation.SessionId;
import dev.errand.hook.HookKit;
import dev.errand.kit.Script;
import dev.errand.kit.Script.Call;
import dev.errand.kit.SkillKit;
import dev.errand.kit.Story;
import dev.errand.kit.Tables;
import dev.errand.kit.TaskKit;
import dev.errand.kit.WebhookReceiver;
import dev.errand.model.ModelException.Code;
import dev.errand.model.ModelReply;
import dev.errand.session.SessionState;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each column of the database that has text either stores a replaced text or never gets one. */
@QuarkusTest
class OddColumnsDbTest implements Story {

  private static final String ODD = "odd\0\ud83d";
  private static final String STORED = "odd\ufffd\ufffd";
  private static final String MODEL = "scripted:" + STORED;

  @Inject TaskKit kit;
  @Inject HookKit hooks;
  @Inject SkillKit skills;
  @Inject Jdbi jdbi;
  @TempDir Path temporary;

  private final WebhookReceiver receiver = new WebhookReceiver();

  @AfterEach
  void close() {
    hooks.clear();
    skills.clear();
    receiver.close();
    kit.tamper("delete from outbox where target = 'hook'");
    kit.tamper("delete from pause");
    kit.tamper("delete from tenant where id = 'odd'");
  }

  @Test
  void everyColumnOfTextHasAReplacedTextOrAReason() throws Exception {
    receiver.answers(WebhookReceiver.status(410));
    hooks.configure(
        Map.of(
            "post.url", receiver.url(),
            "post.events", "task.started,task.ended,session.failed",
            "post.timeout", "60s"));

    hostedSession();
    failedSession();
    var external = externalSession();
    operator();
    waitingChild(external);

    var columns = OddColumns.ofText(jdbi);
    var found = new Tables(jdbi).with(STORED);
    assertThat(found).doesNotHaveDuplicates();
    assertThat(OddColumns.WITHOUT).as("columns that exist").allMatch(columns::contains);
    assertThat(columns.stream().filter(column -> !OddColumns.hasReason(column)))
        .containsExactlyInAnyOrderElementsOf(found);
    given().get("/v1/pauses").<List<String>>path("items.id").forEach(this::endPause);
    kit.awaitRest(external);
  }

  private void endPause(String pause) {
    given().delete("/v1/pauses/{id}", pause);
  }

  private Path workspace() throws IOException, InterruptedException {
    var folder = Files.createDirectory(temporary.toRealPath().resolve(STORED));
    Files.writeString(folder.resolve("a.txt"), "one\n");
    git(folder);
    git(Files.createDirectory(folder.resolve(STORED)));
    return folder;
  }

  private static void git(Path folder) throws IOException, InterruptedException {
    var init = new ProcessBuilder("git", "init", "-q").directory(folder.toFile()).start();
    assertThat(init.waitFor()).isZero();
  }

  private static Call write(String name) {
    return Call.of("write", Map.of("file_path", name, "content", ODD));
  }

  private void hostedSession() throws IOException, InterruptedException {
    var rule = Map.of("permission", "webfetch", "pattern", ODD, "action", "deny");
    var delegated = new HashMap<String, Object>();
    List.of("description", "prompt", "label", "command").forEach(name -> delegated.put(name, ODD));
    delegated.put("isolation", "worktree");
    delegated.put("model", "scripted:" + ODD);
    delegated.put("permissions", List.of(rule));
    kit.child(STORED, model -> model.calls(write(ODD + ".txt")).says(ODD));
    kit.model(
        MODEL,
        model ->
            model
                .calls(
                    write(ODD),
                    Call.of("todowrite", Map.of("todos", List.of(todo()))),
                    Call.of("message", Map.of("text", ODD)))
                .replies(new ModelReply(ODD, List.of(oddCall()), Script.USAGE))
                .calls("task", delegated)
                .says(ODD));
    var session =
        kit.session(
            Map.of(
                "model", "scripted:" + ODD,
                "title", ODD,
                "workspace", workspace().toString(),
                "origin", Map.of("channel", ODD, "chat_id", ODD),
                "metadata", Map.of("a\0", ODD),
                "permissions", List.of(rule),
                "callback", Map.of("url", receiver.url())));
    kit.say(session, ODD);
    kit.awaitRest(session);

    var task = kit.tasksOf(session).getFirst().id().toString();
    kit.model(
        MODEL,
        model -> model.calls("task_apply", Map.of("task_id", task, "mode", "apply")).says("done"));
    kit.say(session, "Apply.");
    kit.awaitRest(session);
  }

  private static Map<String, String> todo() {
    return Map.of("content", ODD, "status", "pending");
  }

  private static Content.ToolCall oddCall() {
    JsonNode arguments = JsonNodeFactory.instance.objectNode().put(ODD, ODD);
    return new Content.ToolCall(ODD, ODD, arguments, arguments);
  }

  private void failedSession() {
    var session = kit.session(model -> model.fails(Code.MODEL_UNAUTHORIZED, ODD));
    kit.say(session, ODD);
    kit.awaitRest(session);
    var parent = kit.externalSession();
    kit.child("fail", model -> model.fails(Code.MODEL_UNAUTHORIZED, ODD));
    kit.awaitEnd(kit.submit(parent, "fail"));
  }

  private SessionId externalSession() {
    var session = kit.externalSession();
    post(
        "/v1/sessions/" + session + "/tool-calls",
        Map.of("call_id", "call_1", "name", ODD, "arguments", Map.of("a\0", ODD)));
    skills.define("odd", "Odd.", "odd\0\0");
    post("/v1/sessions/" + session + "/commands", Map.of("command", "skill:load odd"));
    return session;
  }

  private static void operator() {
    post("/v1/keys", Map.of("name", ODD, "role", "viewer"));
    given()
        .contentType("application/json")
        .body(Map.of("models", Map.of("allowed", List.of("scripted:" + ODD))))
        .put("/v1/tenants/odd")
        .then()
        .statusCode(201);
    post("/v1/pauses", Map.of("scope", "agent", "name", "explore", "reason", ODD));
  }

  private void waitingChild(SessionId parent) {
    kit.child("wait", model -> model.says("gold"));
    var task = kit.submit(parent, "wait", Map.of("subagent_type", "explore"));
    await().until(() -> kit.look(kit.look(task).child()).state() == SessionState.WAITING);
  }

  private static void post(String path, Map<String, ?> body) {
    var status =
        given()
            .contentType("application/json")
            .header("Idempotency-Key", UUID.randomUUID())
            .body(body)
            .post(path)
            .statusCode();
    assertThat(status).as(path).isBetween(200, 299);
  }
}
