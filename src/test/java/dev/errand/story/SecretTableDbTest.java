package dev.errand.story;

import static dev.errand.kit.Http.get;
import static dev.errand.kit.Http.given;
import static org.awaitility.Awaitility.await;

import dev.errand.conversation.Content;
import dev.errand.conversation.Message;
import dev.errand.conversation.MessageKind;
import dev.errand.conversation.MessageRole;
import dev.errand.conversation.SessionId;
import dev.errand.hook.HookKit;
import dev.errand.kit.AgentFolder;
import dev.errand.kit.EventClient;
import dev.errand.kit.Http;
import dev.errand.kit.HttpAnswer;
import dev.errand.kit.Script;
import dev.errand.kit.Script.Call;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.kit.TestDatabase;
import dev.errand.kit.WebhookReceiver;
import dev.errand.model.ModelException.Code;
import dev.errand.secret.Secrets;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each kind of secret, in each kind of text. */
@QuarkusTest
class SecretTableDbTest implements Story {

  /** For fields that are short. */
  private static final String ONE = "canary-of-a-tenant";

  private static final String OF_SESSION = webhook("canary of a session's callback");
  private static final String OF_TASK = webhook("canary of the callback of a task");
  private static final String OF_HOOK = webhook("canary of the hook of an operator");

  private static final Map<String, String> SECRETS =
      Map.of(
          "a property of the configuration",
          TestDatabase.SECRET,
          "the key of the service",
          TestDatabase.SECRETS_KEY,
          "an old key of the service",
          TestDatabase.OLD_SECRETS_KEY,
          "the model key of a tenant",
          ONE,
          "the environment of an MCP server",
          "canary-of-an-environment",
          "a header of an MCP server",
          "canary-of-a-header",
          "the callback of a session",
          OF_SESSION,
          "the callback of a task",
          OF_TASK,
          "a hook",
          OF_HOOK);

  /** Is in the environment of a server, too, and may be a part of any word. */
  private static final String SHORT = "canary7";

  private static final String WORDS =
      "It is " + String.join(" or ", SECRETS.values()) + " or " + SHORT;

  @Inject TaskKit kit;
  @Inject HookKit hooks;
  @Inject AgentFolder folder;
  @TempDir Path workspace;

  private final WebhookReceiver receiver = new WebhookReceiver();
  private final WebhookReceiver hook = new WebhookReceiver();
  private final Map<String, String> texts = new LinkedHashMap<>();

  private static String webhook(String key) {
    return "whsec_" + Base64.getEncoder().encodeToString(key.getBytes(StandardCharsets.UTF_8));
  }

  @AfterEach
  void remove() {
    await()
        .until(
            () -> kit.row("select count(*) from outbox where target = 'hook'", Integer.class) == 0);
    hooks.clear();
    folder.clear();
    receiver.close();
    hook.close();
  }

  @Test
  void noKindOfSecretIsInAnyKindOfText() throws Exception {
    configure();
    var file = Files.writeString(workspace.resolve("settings.txt"), WORDS).toString();
    kit.children(prompt ->
        prompt.startsWith("fail")
            ? new Script().fails(Code.MODEL_UNAUTHORIZED, WORDS)
            : new Script().calls("own_environment", Map.of("file", file)).thenSays(WORDS));
    var session =
        kit.session(
            Map.of(
                "title", ONE,
                "metadata", Map.of("note", WORDS),
                "workspace", workspace.toString(),
                "callback", Map.of("url", receiver.url(), "secret", OF_SESSION)),
            model ->
                model
                    .saysAndCalls(
                        WORDS,
                        Call.of("read", Map.of("file_path", "settings.txt")),
                        Call.of("message", Map.of("text", WORDS)),
                        Call.of("todowrite", Map.of("todos", List.of(todo(WORDS)))),
                        Call.of("task", task("fail " + WORDS, "general", false)),
                        Call.of("task", task("read " + WORDS, "keeper", true)))
                    .saysForever(WORDS));

    kit.say(session, WORDS);
    kit.awaitRest(session);

    collectTranscript(session);
    collectTasks(session);
    collectPosts();
    collectFields(session);
    collectEvents(session);
    var softly = new SoftAssertions();
    texts.forEach((kind, text) -> {
      softly.assertThat(text).as(kind).contains(Secrets.MASK);
      SECRETS.forEach((of, secret) ->
          softly.assertThat(text).as("%s: secret of %s", kind, of).doesNotContain(secret));
    });
    for (var kind : List.of("a message of a user", "an answer of a model", "a result of a tool")) {
      softly.assertThat(texts.get(kind)).as(kind).contains(SHORT);
    }
    softly.assertAll();
  }

  /** Makes the secrets known as clients and operators do. */
  private void configure() {
    put("/v1/tenants/canary", Map.of("models", Map.of("providers", provider())));
    var java = ProcessHandle.current().info().command().orElseThrow();
    folder.define(
        "keeper",
        "mcpServers:",
        "  - own:",
        "      command: '" + java + "'",
        "      args: ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-cp', '%s', dev.errand.tool.mcp.OddServer, good]"
            .formatted(System.getProperty("java.class.path")),
        "      env: {SERVICE: canary-of-an-environment, SERVICE_MODE: " + SHORT + "}");
    folder.define(
        "stranger",
        "mcpServers:",
        "  - far:",
        "      url: 'https://mcp.example'",
        "      headers: {Authorization: Bearer canary-of-a-header}");
    hooks.configure(
        Map.of(
            "ear.url",
            hook.url(),
            "ear.secret",
            OF_HOOK,
            "ear.events",
            "task.created,task.ended,tool.after"));
    var parent = kit.externalSession();
    kit.child("settle", model -> model.says("settled"));
    kit.awaitEnd(
        kit.submit(
            parent,
            "settle",
            Map.of("callback", Map.of("url", receiver.url(), "secret", OF_TASK))));
    await().until(() -> !receiver.posts().isEmpty());
    receiver.answers(WebhookReceiver.status(500).withBody(WORDS));
  }

  private static Map<String, ?> provider() {
    return Map.of("openai", Map.of("api_key", ONE, "base_url", "http://127.0.0.1:9/v1"));
  }

  private static void put(String path, Map<String, ?> body) {
    given().contentType("application/json").body(body).put(path).then().statusCode(201);
  }

  private static Map<String, ?> todo(String text) {
    return Map.of("content", text, "status", "pending");
  }

  private static Map<String, ?> task(String prompt, String agent, boolean background) {
    return Map.of(
        "description", ONE,
        "prompt", prompt,
        "label", ONE,
        "subagent_type", agent,
        "background", background);
  }

  private void collectTranscript(SessionId session) {
    var transcript = kit.transcript(session);
    var isNotice = (Predicate<Message>) message -> message.kind() == MessageKind.NOTICE;
    texts.put("a message of a user", words(transcript, MessageRole.USER, isNotice.negate()));
    texts.put("a notice", words(transcript, MessageRole.USER, isNotice));
    texts.put("an answer of a model", words(transcript, MessageRole.ASSISTANT, _ -> true));
    texts.put(
        "the arguments of a call",
        transcript.stream()
            .flatMap(message -> message.toolCalls().stream())
            .map(call -> call.arguments().toString())
            .collect(Collectors.joining("\n")));
    texts.put("a result of a tool", kit.toolResults(session).getFirst().text());
    texts.put(
        "the error of a foreground task",
        kit.toolResults(session).stream()
            .filter(Content.ToolResult::isError)
            .map(Content.ToolResult::text)
            .collect(Collectors.joining("\n")));
  }

  private static String words(
      List<Message> transcript, MessageRole role, Predicate<Message> which) {
    return transcript.stream()
        .filter(message -> message.role() == role)
        .filter(which)
        .map(Message::text)
        .collect(Collectors.joining("\n"));
  }

  private void collectTasks(SessionId session) {
    var tasks = kit.tasksOf(session);
    var keeper = tasks.getLast();
    texts.put(
        "a result of an MCP server",
        kit.toolResults(keeper.child()).stream()
            .map(Content.ToolResult::text)
            .collect(Collectors.joining("\n")));
    texts.put(
        "what the child is asked",
        words(kit.transcript(keeper.child()), MessageRole.USER, _ -> true));
    texts.put("the error of a task", taskField(tasks.getFirst().id().toString(), "error.message"));
    texts.put("the prompt of a task", keeper.prompt());
    for (var field : List.of("description", "label", "result")) {
      texts.put("the " + field + " of a task", taskField(keeper.id().toString(), field));
    }
  }

  private static String taskField(String task, String field) {
    return get("/v1/tasks/" + task).path(field);
  }

  private void collectPosts() {
    await().until(() -> receiver.posts().size() > 3);
    texts.put("a post to a callback", receiver.posts().getLast().body());
    await().until(() -> hook.posts().stream().anyMatch(post -> post.body().contains("task.ended")));
    texts.put("a post to a hook", hook.posts().toString());
  }

  private void collectFields(SessionId session) {
    var shown = get("/v1/sessions/" + session);
    texts.put("the title of a session", shown.path("title"));
    texts.put("the metadata of a session", shown.path("metadata.note"));
    texts.put("the todos", get("/v1/sessions/" + session + "/todos").asString());
    var key = post("/v1/keys", Map.of("name", ONE, "role", "viewer"));
    texts.put("the name of a key", key.asString());
    given().delete("/v1/keys/{id}", key.<String>path("id")).then().statusCode(204);
    var pause = post("/v1/pauses", Map.of("scope", "agent", "name", "plan", "reason", ONE));
    texts.put("the reason of a pause", pause.asString());
    given().delete("/v1/pauses/{id}", pause.<String>path("id")).then().statusCode(204);
    texts.put("a refusal", post("/v1/keys", Map.of(ONE, true)).asString());
  }

  private static HttpAnswer post(String path, Map<String, ?> body) {
    return given().contentType("application/json").body(body).post(path).then();
  }

  private void collectEvents(SessionId session) throws InterruptedException {
    try (var client =
        EventClient.follow(Http.uri("/v1/sessions/" + session + "/events?tree=true"))) {
      await().until(() -> client.types().contains("subagent.failed"));
      texts.put("the events", client.received().toString());
    }
  }
}
