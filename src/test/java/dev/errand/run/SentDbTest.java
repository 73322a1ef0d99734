package dev.errand.run;

import static dev.errand.kit.WithAuthentication.ADMIN_KEY;
import static dev.errand.kit.WithAuthentication.as;
import static dev.errand.kit.WithAuthentication.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.nullValue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.errand.conversation.Content;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.Usage;
import dev.errand.kit.EndpointModels;
import dev.errand.kit.HttpAnswer;
import dev.errand.kit.Story;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.TaskKit;
import dev.errand.kit.WithAuthentication;
import dev.errand.node.Node;
import dev.errand.secret.JsonTexts;
import dev.errand.secret.Secrets;
import dev.errand.session.Lease;
import dev.errand.session.Leases;
import dev.errand.session.ModelCall;
import dev.errand.session.SentRequest;
import dev.errand.session.SentRequests;
import dev.errand.session.SessionState;
import dev.errand.session.TurnStore;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The requests of turns, which this profile keeps for an hour. */
@QuarkusTest
@TestProfile(WithAuthentication.class)
class SentDbTest implements Story {

  private static final String SENT = "/v1/sessions/{id}/messages/{seq}/sent";
  private static final JsonMapper JSON = new JsonMapper();

  @Inject TaskKit kit;
  @Inject EndpointModels endpoints;
  @Inject SentRequests kept;
  @Inject TurnStore turns;
  @Inject Leases leases;
  @Inject Handovers handovers;
  @Inject Node node;

  private final BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
  private final List<JsonNode> received = new CopyOnWriteArrayList<>();

  @BeforeEach
  void answerInOrder() {
    WithAuthentication.actAsAdmin();
    answerFrom(EndpointModels.OPENAI);
  }

  private void answerFrom(String model) {
    endpoints.answer(_ -> {
      received.add(endpoints.lastBody(model));
      return answers.take();
    });
  }

  @ParameterizedTest
  @ValueSource(strings = {EndpointModels.OPENAI, EndpointModels.ANTHROPIC})
  void eachTurnHasTheRequestThatTheProviderReceived(String model) throws Exception {
    answerFrom(model);
    answers.add(Answer.calls(Answer.call("list", Map.of())));
    answers.add(Answer.cut("all "));
    answers.add(Answer.says("of it"));
    var root = kit.sessionOf(model);
    kit.say(root, "Größe?");
    kit.awaitRest(root);

    assertThat(received).hasSize(3);
    assertThat(sent(root, 2)).isEqualTo(masked(received.getFirst(), nonce(root)));
    assertThat(sent(root, 4))
        .as("not its continuation")
        .isEqualTo(masked(received.get(1), nonce(root)));
    var messages = as(ADMIN_KEY).get("/v1/sessions/{id}/messages", root.toString());
    get(root, 4)
        .body("seq", is(4))
        .body("model", equalTo(model))
        .body("sent_at", equalTo(messages.path("items[3].started_at")))
        .body("truncated", is(false));
    as(ADMIN_KEY).get("/v1/me").then().body("keeps_sent", is(true));
  }

  @Test
  void secretsAreMasked() throws Exception {
    answers.add(Answer.says("Fine."));
    answers.add(Answer.says("Fine."));
    var root = kit.sessionOf(EndpointModels.OPENAI);
    var secret = "pass\"word of " + root;
    kit.say(root, "It is " + secret);
    kit.awaitRest(root);

    Secrets.remember(secret);
    kit.say(root, "And now?");
    kit.awaitRest(root);

    var withoutNonce = masked(received.getLast(), nonce(root));
    assertThat(sent(root, 4)).isEqualTo(masked(withoutNonce, secret));
  }

  @Test
  void messagesThatNoModelAnsweredHaveNone() {
    var root = answered();

    get(root, 1).statusCode(404).body("detail", containsString("No request is kept for message 1"));
    get(root, 99).statusCode(404);
    as(ADMIN_KEY).get(SENT, root.toString(), "x").then().statusCode(400);
    as(ADMIN_KEY).get(SENT, root.toString(), "0").then().statusCode(400);
    get(SessionId.next(), 2).statusCode(404).body("detail", containsString("session"));
  }

  @Test
  void requestIsGoneAfterItsTimeAndThenDeleted() {
    var young = answered();
    var old = answered();
    kit.tamper(
        "update sent_request set sent_at = now() - interval '59 minutes' where session_id = ?",
        young.value());
    kit.tamper(
        "update sent_request set sent_at = now() - interval '61 minutes' where session_id = ?",
        old.value());

    get(young, 2).statusCode(200);
    get(old, 2).statusCode(404);
    assertThat(rows(old)).isEqualTo(1);

    kept.run(() -> false);

    assertThat(rows(young)).isEqualTo(1);
    assertThat(rows(old)).isZero();
  }

  @Test
  void onlyThatItWasSentIsKeptOfALargeRequest() {
    var lease = leases.claimed();
    var large = JsonNodeFactory.instance.objectNode().put("text", "x".repeat(5 << 20));
    var call = ModelCall.first(1, "scripted:none");
    var turn =
        new TurnStore.ModelTurn(
            List.of(new Content.Text("Fine.")),
            List.of(),
            Usage.NONE,
            call,
            SentRequest.of(large, "nonce"));

    turns.save(lease, MessageId.next(), turn);

    get(lease.session(), 1)
        .statusCode(200)
        .body("truncated", is(true))
        .body("request", nullValue());
    leases.drop(lease.session());
  }

  @Test
  void whoMaySeeTheSessionMaySeeWhatWasSent() {
    var root = answered();
    var path = new Object[] {root.toString(), 2};
    as(ADMIN_KEY)
        .contentType("application/json")
        .body(Map.of())
        .put("/v1/tenants/{id}", "heron")
        .then()
        .statusCode(201);

    as(key("viewer", Map.of())).get(SENT, path).then().statusCode(200);
    as(token(root)).get(SENT, path).then().statusCode(200);
    as(token(kit.externalSession())).get(SENT, path).then().statusCode(404);
    as(key("operator", Map.of("tenant", "heron"))).get(SENT, path).then().statusCode(404);
    as(key("metrics", Map.of())).get(SENT, path).then().statusCode(403);
  }

  @Test
  void whatWasSentIsDeletedWithItsSession() {
    var root = answered();

    as(ADMIN_KEY).delete("/v1/sessions/{id}", root.toString()).then().statusCode(204);

    assertThat(rows(root)).isZero();
  }

  @Test
  void whatWasSentIsDeletedWithTheTranscriptOfAChild() {
    answers.add(Answer.says("gold"));
    var fields = Map.of("model", EndpointModels.OPENAI, "cleanup", "delete");
    var task = kit.submit(kit.externalSession(), "dig", fields);
    kit.awaitEnd(task);
    var child = kit.look(task).child();
    assertThat(rows(child)).isEqualTo(1);

    as(ADMIN_KEY).post("/v1/tasks/{id}/ack", task.toString()).then().statusCode(200);
    kit.awaitState(child, SessionState.CLOSED);

    assertThat(rows(child)).isZero();
    get(child, 2).statusCode(404);
  }

  @Test
  void afterATakeoverItIsTheRequestOfTheRunThatGotTheAnswer() throws Exception {
    var goesOn = new CountDownLatch(1);
    endpoints.answer(_ -> {
      received.add(endpoints.lastBody(EndpointModels.OPENAI));
      if (received.size() == 1) {
        assertThat(goesOn.await(120, TimeUnit.SECONDS)).isTrue();
      }
      return Answer.says("gold");
    });
    var root = kit.sessionOf(EndpointModels.OPENAI);
    kit.say(root, "Dig.");
    await().until(() -> received.size() == 1);

    kit.say(root, "Hurry.");
    handovers.takeOver(new Lease(root, epoch(root)), node.id(), "test");
    kit.awaitRest(root);
    goesOn.countDown();

    assertThat(received).hasSize(2).doesNotHaveDuplicates();
    assertThat(sent(root, 3)).isEqualTo(masked(received.getLast(), nonce(root)));
    assertThat(rows(root)).isEqualTo(1);
  }

  /** A root whose second message is an answer. */
  private SessionId answered() {
    answers.add(Answer.says("Fine."));
    var root = kit.sessionOf(EndpointModels.OPENAI);
    kit.say(root, "How are you?");
    kit.awaitRest(root);
    return root;
  }

  private static HttpAnswer get(SessionId session, long seq) {
    return as(ADMIN_KEY).get(SENT, session.toString(), seq).then();
  }

  private static JsonNode sent(SessionId session, long seq) throws Exception {
    return JSON.readTree(get(session, seq).statusCode(200).asString()).path("request");
  }

  private static JsonNode masked(JsonNode body, String hidden) {
    var masked = JsonTexts.replaced(body, text -> text.replace(hidden, Secrets.MASK));
    assertThat(masked).isNotEqualTo(body);
    return masked;
  }

  private String nonce(SessionId session) {
    return kit.look(session).nonce();
  }

  private static String token(SessionId session) {
    return as(ADMIN_KEY)
        .contentType("application/json")
        .body(Map.of("expires_in_s", 3600))
        .post("/v1/sessions/{id}/tokens", session.toString())
        .then()
        .statusCode(201)
        .path("token");
  }

  private long epoch(SessionId session) {
    return kit.row("select epoch from session where id = '" + session.value() + "'", Long.class);
  }

  private int rows(SessionId session) {
    return kit.row(
        "select count(*) from sent_request where session_id = '" + session.value() + "'",
        Integer.class);
  }
}
