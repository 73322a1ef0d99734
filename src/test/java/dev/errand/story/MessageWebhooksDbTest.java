package dev.errand.story;

import static dev.errand.kit.Http.given;
import static dev.errand.kit.WebhookReceiver.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.nullValue;
import static org.hamcrest.Matchers.startsWith;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.errand.conversation.SessionId;
import dev.errand.kit.Gate;
import dev.errand.kit.Script;
import dev.errand.kit.Script.Call;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.kit.WebhookReceiver;
import dev.errand.kit.WebhookReceiver.Post;
import dev.errand.ops.TaskAccounting;
import dev.errand.session.SessionState;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Messages of a hosted agent to its user are posted to the callback of its session. */
@QuarkusTest
class MessageWebhooksDbTest implements Story {

  private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

  @Inject TaskKit kit;
  @Inject ObjectMapper mapper;
  @Inject TaskAccounting accounting;

  private final WebhookReceiver receiver = new WebhookReceiver();

  @AfterEach
  void close() {
    receiver.close();
  }

  @Test
  void messageIsPostedSignedAndOnceWithTheOriginWhileTheAgentWorks() throws Exception {
    var gate = new Gate();
    var session = session(model -> model.calls(message("Half done.")).at(gate).says("All done."));

    kit.say(session, "Work.");
    var post = receiver.awaitPosts(1).getFirst();
    gate.open();
    kit.awaitRest(session);

    WebhookReceiver.verify(post, SECRET);
    var event = read(post);
    assertThat(event.get("id").asText()).startsWith("dlv_").isEqualTo(post.header("webhook-id"));
    assertThat(event.get("source").asText()).isEqualTo("/v1/sessions/" + session);
    assertThat(event.get("type").asText()).isEqualTo("session.message");
    assertThat(event.has("subject")).isFalse();
    var data = event.get("data");
    assertThat(data.get("id").asText()).startsWith("msg_");
    assertThat(data.get("session_id").asText()).isEqualTo(session.toString());
    assertThat(data.get("role").asText()).isEqualTo("assistant");
    assertThat(data.get("kind").asText()).isEqualTo("message");
    assertThat(data.at("/content/0/text").asText()).isEqualTo("Half done.");
    assertThat(data.get("created_at").asText()).isEqualTo(event.get("time").asText());
    assertThat(data.at("/origin/chat_id").asText()).isEqualTo("42");
    assertThat(data.has("seq")).isFalse();
    assertThat(texts()).containsExactly("Half done.", "All done.");
  }

  @Test
  void answerIsPostedCompletelyWithItsPositionInTheTranscript() {
    var answer = "long ".repeat(4_000) + "end";
    var session = session(model -> model.says(answer).says("Again."));

    kit.say(session, "Work.");
    kit.awaitRest(session);
    kit.say(session, "Continue.");
    kit.awaitRest(session);

    assertThat(texts()).containsExactly(answer, "Again.");
    var data = read(receiver.posts().getFirst()).get("data");
    assertThat(data.get("seq").asLong()).isEqualTo(2);
    assertThat(data.at("/origin/channel").asText()).isEqualTo("chat");
    assertThat(kit.outline(session)).containsExactly("user", "assistant", "user", "assistant");
  }

  @Test
  void postIsRepeatedUnchangedAfterFailures() {
    receiver.answers(status(500), status(503), status(200));
    var session = session(model -> model.says("Done."));

    kit.say(session, "Work.");
    kit.awaitRest(session);

    assertThat(receiver.posts()).hasSize(3);
    assertThat(receiver.posts().stream().map(post -> post.header("webhook-id")).distinct())
        .hasSize(1);
    assertThat(receiver.posts().stream().map(Post::body).distinct()).hasSize(1);
    assertThat(states(session)).containsExactly("delivered");
  }

  @Test
  void status410LeavesADeadDeliveryThatCanBeRetried() {
    receiver.answers(status(410));
    var session = session(model -> model.says("Done.").says("Not posted."));
    kit.say(session, "Work.");
    kit.awaitRest(session);
    var id = delivery(session);

    assertThat(states(session)).containsExactly("dead");
    assertThat(events(session, "delivery.dead")).isEqualTo(1);
    given()
        .get("/v1/deliveries?state=dead&session_id={id}", session.toString())
        .then()
        .body("items[0].kind", is("message"))
        .body("items[0].target", is("webhook"))
        .body("items[0].task_id", nullValue())
        .body("items[0].message_id", startsWith("msg_"))
        .body("items[0].last_error", is("HTTP 410"));
    kit.say(session, "Continue.");
    kit.awaitRest(session);
    assertThat(states(session)).as("a disabled callback gets no rows").containsExactly("dead");

    receiver.answers(status(200));
    given().post("/v1/deliveries/{id}/retry", id).then().statusCode(200);
    kit.awaitRest(session);

    assertThat(states(session)).containsExactly("delivered");
    assertThat(texts()).containsExactly("Done.", "Done.");
    given()
        .get("/v1/sessions/{id}", session.toString())
        .then()
        .body("callback.state", is("active"));
  }

  @Test
  void dismissedDeadDeliveryIsNotPosted() {
    receiver.answers(status(410));
    var session = session(model -> model.says("Done."));
    kit.say(session, "Work.");
    kit.awaitRest(session);

    given().post("/v1/deliveries/{id}/dismiss", delivery(session)).then().statusCode(200);

    assertThat(states(session)).containsExactly("suppressed");
    assertThat(receiver.posts()).hasSize(1);
  }

  @Test
  void taskResultsGoToTheAgentAndAreNotPosted() {
    var session =
        session(model -> model.callsTaskInBackground("dig").says("Wait.").says("It is gold."));
    var gate = new Gate();
    kit.child("dig", model -> model.at(gate).says("gold"));

    kit.say(session, "Dig.");
    kit.awaitState(session, SessionState.IDLE);
    gate.open();
    kit.awaitRest(session);

    assertThat(texts()).containsExactly("Wait.", "It is gold.");
    assertThat(kit.outline(session))
        .containsExactly("user", "assistant: task", "tool", "assistant", "notice", "assistant");
    var balance = accounting.balance();
    assertThat(balance.addsUp()).as("the accounting adds up: %s", balance).isTrue();
  }

  @Test
  void messagesOfChildrenAreNotPosted() {
    var session = session(model -> model.callsTask("look").thenSays("done"));
    kit.child("look", model -> model.calls(message("psst")).thenSays("seen"));

    kit.say(session, "Work.");
    kit.awaitRest(session);

    assertThat(texts()).containsExactly("done");
    assertThat(kit.toolResults(kit.childOf(session)).getFirst().text())
        .startsWith("Permission denied");
  }

  @Test
  void sessionWithoutACallbackCreatesNoDelivery() {
    var session = kit.session(model -> model.calls(message("Half done.")).thenSays("Done."));

    kit.say(session, "Work.");
    kit.awaitRest(session);

    assertThat(states(session)).isEmpty();
  }

  @Test
  void messageIsPostedEvenIfTheRunIsCancelled() {
    receiver.answers(status(503).withHeader("Retry-After", "1"), status(200));
    var gate = new Gate();
    var session = session(model -> model.calls(message("Half done.")).at(gate).says("Never."));
    kit.say(session, "Work.");
    receiver.awaitPosts(1);
    gate.awaitArrivals(1);

    kit.cancel(session);
    kit.awaitRest(session);

    assertThat(texts()).containsExactly("Half done.", "Half done.");
    assertThat(states(session)).containsExactly("delivered");
  }

  @Test
  void pendingPostsAreDeletedWithTheirSession() {
    receiver.answers(status(503).withHeader("Retry-After", "3600"));
    var session = session(model -> model.says("Done."));
    kit.say(session, "Work.");
    receiver.awaitPosts(1);
    await().until(() -> kit.outline(session).size() == 2);

    given().delete("/v1/sessions/{id}", session.toString()).then().statusCode(204);

    given().get("/v1/sessions/{id}", session.toString()).then().statusCode(404);
    assertThat(states(session)).isEmpty();
  }

  private SessionId session(Consumer<Script> script) {
    return kit.session(
        Map.of(
            "callback",
            Map.of("url", receiver.url(), "secret", SECRET),
            "origin",
            Map.of("channel", "chat", "chat_id", "42")),
        script);
  }

  private static Call message(String text) {
    return Call.of("message", Map.of("text", text));
  }

  private List<String> texts() {
    return receiver.posts().stream()
        .map(post -> read(post).at("/data/content/0/text").asText())
        .toList();
  }

  private static List<String> states(SessionId session) {
    return given()
        .get("/v1/deliveries?session_id={id}", session.toString())
        .path("items.findAll { it.kind == 'message' }.state");
  }

  private static String delivery(SessionId session) {
    return given()
        .get("/v1/deliveries?session_id={id}", session.toString())
        .path("items.find { it.kind == 'message' }.id");
  }

  private int events(SessionId session, String type) {
    return kit.row(
        "select count(*) from event where session_id = '%s' and type = '%s'"
            .formatted(session.value(), type),
        Integer.class);
  }

  private JsonNode read(Post post) {
    try {
      return mapper.readTree(post.body());
    } catch (JsonProcessingException exception) {
      throw new AssertionError(exception);
    }
  }
}
