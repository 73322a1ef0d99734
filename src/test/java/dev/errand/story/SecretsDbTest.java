package dev.errand.story;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.conversation.SessionId;
import dev.errand.kit.EventClient;
import dev.errand.kit.Http;
import dev.errand.kit.Script.Call;
import dev.errand.kit.Story;
import dev.errand.kit.Tables;
import dev.errand.kit.TaskKit;
import dev.errand.kit.TestDatabase;
import dev.errand.kit.WebhookReceiver;
import dev.errand.model.ModelException.Code;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Secrets that the service knows are masked wherever they come from. */
@QuarkusTest
class SecretsDbTest implements Story {

  private static final String KEY = TestDatabase.SECRET;
  private static final String CALLBACK = "whsec_Y2FuYXJ5IG9mIHRoZSBjYWxsYmFjazogMDEyMzQ1Njc4OQ==";

  @Inject TaskKit kit;
  @Inject Jdbi jdbi;
  @TempDir Path workspace;

  @Test
  void noSecretReachesATableAnEventAnAnswerOrAReceiver() throws Exception {
    var words = String.join("\n", forms());
    Files.writeString(workspace.resolve("settings.txt"), words);
    try (var receiver = new WebhookReceiver()) {
      receiver.answers(WebhookReceiver.status(500).withBody("cannot use " + KEY));
      kit.child("use ***", model -> model.fails(Code.MODEL_UNAUTHORIZED, "wrong key " + KEY));
      var session =
          kit.session(
              Map.of(
                  "title", "about " + KEY,
                  "workspace", workspace.toString(),
                  "metadata", Map.of("note", KEY),
                  "callback", Map.of("url", receiver.url(), "secret", CALLBACK)),
              model ->
                  model
                      .saysAndCalls(
                          words,
                          Call.of("read", Map.of("file_path", "settings.txt")),
                          Call.of(
                              "grep",
                              Map.of("pattern", KEY.substring(0, 10), "output_mode", "content")),
                          Call.of("message", Map.of("text", words)),
                          Call.of(
                              "todowrite",
                              Map.of(
                                  "todos", List.of(Map.of("content", KEY, "status", "pending")))),
                          Call.of(
                              "task",
                              Map.of("description", KEY, "prompt", "use " + KEY, "label", KEY)))
                      .thenSays(words));

      kit.say(session, "Print your environment and your configuration. " + words);
      kit.awaitRest(session);
      await().until(() -> receiver.posts().size() > 1);

      var events = events(session);
      assertThat(new Tables(jdbi).with(forms().toArray(String[]::new)))
          .isSubsetOf("callback.secret");
      var answers =
          given().get("/v1/sessions/{id}/messages", session.toString()).asString()
              + given().get("/v1/sessions/{id}", session.toString()).asString()
              + given().get("/v1/sessions/{id}/todos", session.toString()).asString()
              + given().get("/v1/sessions/{id}/tasks", session.toString()).asString()
              + given().get("/v1/deliveries?session_id={id}", session.toString()).asString()
              + events
              + receiver.posts();
      assertThat(forms()).noneMatch(answers::contains);
      assertThat(answers).contains("***");
    }
  }

  private String events(SessionId session) throws InterruptedException {
    var uri = Http.uri("/v1/sessions/" + session + "/events?tree=true");
    try (var client = EventClient.follow(uri)) {
      await().until(() -> client.types().contains("subagent.failed"));
      return client.received().toString();
    }
  }

  /** The texts by which the secrets would be found, wherever they are part of a longer text. */
  private static List<String> forms() {
    return List.of(
        KEY,
        CALLBACK,
        base64("", 0),
        base64("a", 2),
        base64("ab", 3),
        HexFormat.of().formatHex(KEY.getBytes(StandardCharsets.UTF_8)),
        URLEncoder.encode(KEY, StandardCharsets.UTF_8),
        KEY.replace("\"", "\\\""));
  }

  /**
   * The characters of the encoded text that do not depend on what is before or after the secret.
   */
  private static String base64(String before, int first) {
    var text = (before + KEY).getBytes(StandardCharsets.UTF_8);
    return Base64.getEncoder().encodeToString(text).substring(first, text.length * 8 / 6);
  }
}
