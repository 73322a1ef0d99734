package dev.errand.api;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.nullValue;

import dev.errand.conversation.SessionId;
import dev.errand.kit.Gate;
import dev.errand.kit.Http;
import dev.errand.kit.HttpAnswer;
import dev.errand.kit.RawHttp;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The reply that a client gets when it waits after it has sent a message. */
@QuarkusTest
class MessageReplyDbTest implements Story {

  @Inject TaskKit kit;

  @Test
  void cancelledMessageHasNoReply() throws Exception {
    var gate = new Gate();
    var session = kit.session(model -> model.says("one").at(gate).says("never"));
    ask(session, "First?").statusCode(200).body("reply.content[0].text", is("one"));

    var second = asking(session, "Second?");
    gate.awaitArrivals(1);
    kit.cancel(session);

    second
        .get(60, TimeUnit.SECONDS)
        .statusCode(200)
        .body("session.state", is("idle"))
        .body("reply", nullValue());
    assertThat(kit.outline(session)).containsExactly("user", "assistant", "user");
  }

  @Test
  void messagesThatAreReadTogetherHaveTheSameReply() throws Exception {
    var gate = new Gate();
    var session = kit.session(model -> model.at(gate).says("one").says("two"));
    var first = asking(session, "First?");
    gate.awaitArrivals(1);
    kit.say(session, "Second?");
    kit.say(session, "Third?");

    gate.open();

    first.get(60, TimeUnit.SECONDS).statusCode(200).body("reply.content[0].text", is("two"));
    assertThat(kit.outline(session))
        .containsExactly("user", "assistant", "user", "user", "assistant");
  }

  @Test
  void waitInTheSecondLineOfTheHeaderIsRead() {
    var session = kit.session(model -> model.says("one"));
    var body = "{\"text\":\"First?\"}";
    var head =
        """
        POST /v1/sessions/%s/messages HTTP/1.1
        Host: localhost
        Connection: close
        Content-Type: application/json
        Content-Length: %d
        Prefer: respond-async
        Prefer: wait=60

        """;

    var answer =
        RawHttp.sendBytes(
            Http.uri("/").getPort(),
            head.formatted(session, body.length()).replace("\n", "\r\n") + body);

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.text()).contains("\"one\"");
  }

  private static CompletableFuture<HttpAnswer> asking(SessionId session, String text) {
    return CompletableFuture.supplyAsync(() -> ask(session, text));
  }

  private static HttpAnswer ask(SessionId session, String text) {
    return given()
        .header("Prefer", "wait=60")
        .contentType("application/json")
        .body(Map.of("text", text))
        .post("/v1/sessions/{id}/messages", session.toString());
  }
}
