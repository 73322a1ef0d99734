package dev.errand.story;

import static dev.errand.kit.WebhookReceiver.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.errand.conversation.SessionId;
import dev.errand.kit.Invariants;
import dev.errand.kit.OpenAiStub;
import dev.errand.kit.Rare;
import dev.errand.kit.Service;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.ModelCall;
import dev.errand.kit.WebhookReceiver;
import dev.errand.kit.WebhookReceiver.Post;
import dev.errand.postgres.Failpoint;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Messages of an agent are posted even if the process dies. */
@Rare
class MessageWebhooksIT {

  private static final Duration TIMEOUT = Duration.ofSeconds(90);
  private static final JsonMapper JSON = JsonMapper.builder().build();

  @TempDir Path home;

  /** The next process repeats the call, which sends no second message. */
  @Test
  void storedMessageIsPostedByTheNextProcessWithOneId() throws Exception {
    var environment = new HashMap<String, String>();
    environment.put("ERRAND_WEBHOOKS_ALLOW_PRIVATE", "true");
    environment.put("ERRAND_WEBHOOKS_SCHEDULE", "0s,1s,1s,1s,1s,1s,1s,1s,1s,1s");
    environment.put("JAVA_TOOL_OPTIONS", "-Derrand.failpoint=" + Failpoint.TOOL_CALLED);
    try (var receiver = new WebhookReceiver();
        var endpoint = StubEndpoint.start(new OpenAiStub(), MessageWebhooksIT::answer)) {
      receiver.answers(status(503));
      environment.putAll(endpoint.environment());
      try (var service = Service.start(home, environment)) {
        var id = open(service, receiver);
        say(service, id);
        service.awaitDeath();

        receiver.answers(status(200));
        environment.remove("JAVA_TOOL_OPTIONS");
        service.startAgain();
        await().atMost(TIMEOUT).until(() -> delivered(service, id) == 2);

        check(service, id, receiver);
      }
    }
  }

  /** The run that the message starts may end the process before the answer is sent. */
  private static void say(Service service, String session) {
    Service.mayEndDuring(
        () -> service.post("/v1/sessions/" + session + "/messages", Map.of("text", "Work."), 202));
  }

  private static void check(Service service, String session, WebhookReceiver receiver)
      throws Exception {
    var ids = new HashMap<String, String>();
    receiver.posts().forEach(post -> ids.put(post.header("webhook-id"), text(post)));
    assertThat(ids.values()).containsExactlyInAnyOrder("Half done.", "Done.");
    assertThat(SessionProbe.roles(service, session))
        .containsExactly("user", "assistant", "tool", "assistant");
    assertThat(service.get("/v1/stats").at("/conservation/holds").asBoolean()).isTrue();
    var root = SessionId.parse(session).orElseThrow();
    assertThat(Invariants.broken(service.database(), List.of(root))).isEmpty();
  }

  private static String open(Service service, WebhookReceiver receiver) {
    var body = Map.of("callback", Map.of("url", receiver.url()));
    return service.post("/v1/sessions", body, 201).get("id").asText();
  }

  private static long delivered(Service service, String session) {
    return service.items("/v1/deliveries?session_id=" + session, "cursor").stream()
        .filter(delivery -> delivery.get("state").asText().equals("delivered"))
        .count();
  }

  private static Answer answer(ModelCall call) {
    return call.isFirst()
        ? Answer.calls(Answer.call("message", Map.of("text", "Half done.")))
        : Answer.says("Done.");
  }

  private static String text(Post post) {
    try {
      var event = JSON.readTree(post.body());
      return event.at("/data/content/0/text").asText();
    } catch (JsonProcessingException exception) {
      throw new AssertionError(exception);
    }
  }
}
