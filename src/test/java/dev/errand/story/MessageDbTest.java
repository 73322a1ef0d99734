package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.errand.conversation.Content;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.ToolDefinition;
import dev.errand.kit.EventClient;
import dev.errand.kit.EventClient.Received;
import dev.errand.kit.Gate;
import dev.errand.kit.Http;
import dev.errand.kit.Script.Call;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A primary agent sends messages to its user during a run. */
@QuarkusTest
class MessageDbTest implements Story {

  @Inject TaskKit kit;

  @Test
  void streamContainsTheMessageWithTheOriginWhileTheAgentWorks() throws Exception {
    var gate = new Gate();
    var session =
        kit.session(
            Map.of("origin", Map.of("channel", "chat", "chat_id", "7")),
            model -> model.calls(message("Half done.")).at(gate).says("All done."));
    kit.say(session, "Work.");

    try (var client = EventClient.follow(events(session))) {
      await().until(() -> !outgoing(client).isEmpty());
      gate.open();
      var data = outgoing(client).getFirst().data();

      assertThat(data.get("role").asText()).isEqualTo("assistant");
      assertThat(data.get("kind").asText()).isEqualTo("message");
      assertThat(data.at("/content/0/text").asText()).isEqualTo("Half done.");
      assertThat(data.at("/origin/channel").asText()).isEqualTo("chat");
      assertThat(data.at("/origin/chat_id").asText()).isEqualTo("7");
      assertThat(data.get("id").asText()).startsWith("msg_");
      assertThat(data.get("session_id").asText()).isEqualTo(session.toString());
      assertThat(data.has("seq")).as("the message has no position in the transcript").isFalse();
    }
    kit.awaitRest(session);
    assertThat(kit.outline(session))
        .containsExactly("user", "assistant: message", "tool", "assistant");
  }

  @Test
  void messageIsSentWithoutOriginAndListener() {
    var session = kit.session(model -> model.calls(message("Half done.")).thenSays("done"));

    kit.say(session, "Work.");
    kit.awaitRest(session);

    assertThat(kit.toolResults(session))
        .extracting(Content.ToolResult::text, Content.ToolResult::isError)
        .containsExactly(tuple("Sent to the session's stream.", false));
  }

  @Test
  void emptyAndOverlongTextsAreRefused() {
    var session =
        kit.session(model ->
            model
                .calls(message(""), message(" \n"), message("x".repeat(4_001)))
                .calls(message("x".repeat(4_000)))
                .thenSays("done"));

    kit.say(session, "Work.");
    kit.awaitRest(session);

    assertThat(kit.toolResults(session))
        .extracting(Content.ToolResult::isError)
        .containsExactly(true, true, true, false);
    assertThat(kit.toolResults(session).subList(0, 3))
        .allSatisfy(result -> assertThat(result.text()).contains("text: "));
  }

  @Test
  void primaryAgentHasTheToolAndItsChildrenDoNot() {
    var session = kit.session(model -> model.callsTask("look").thenSays("done"));
    var child = kit.child("look", model -> model.calls(message("psst")).thenSays("seen"));

    kit.say(session, "Work.");
    kit.awaitRest(session);

    assertThat(names(kit.requests(session).getFirst().tools())).contains("message", "webfetch");
    assertThat(names(child.requests().getFirst().tools()))
        .contains("webfetch")
        .doesNotContain("message");
    assertThat(kit.toolResults(kit.childOf(session)).getFirst().text())
        .startsWith("Permission denied");
  }

  private static Call message(String text) {
    return Call.of("message", Map.of("text", text));
  }

  private URI events(SessionId session) {
    return Http.uri("/v1/sessions/" + session + "/events");
  }

  private static List<Received> outgoing(EventClient client) {
    return client.received().stream()
        .filter(event -> event.type().equals("session.message") && event.data().has("origin"))
        .toList();
  }

  private static List<String> names(List<ToolDefinition> tools) {
    return tools.stream().map(ToolDefinition::name).toList();
  }
}
