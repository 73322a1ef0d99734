package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.kit.Service;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.ModelCall;
import dev.errand.kit.StubWire;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A complete story over the real wire format of a provider: delegation, search, notice, answer. */
interface ProviderStory {

  String QUESTION = "Where is the needle?";
  String PROMPT = "Find the needle.";

  StubWire wire();

  @Test
  default void primaryAnswersAfterTheNoticeOfItsBackgroundTask(
      @TempDir Path home, @TempDir Path workspace) throws Exception {
    Files.createDirectories(workspace.resolve("src"));
    Files.writeString(workspace.resolve("src/hay.txt"), "hay\nneedle here\nhay\n");
    Files.writeString(workspace.resolve("README.md"), "Nothing but hay.\n");

    try (var endpoint = StubEndpoint.start(wire(), ProviderStory::answer);
        var service = Service.start(home, endpoint.environment())) {
      var session =
          service
              .post("/v1/sessions", Map.of("workspace", workspace.toString()), 201)
              .get("id")
              .asText();
      service.post("/v1/sessions/" + session + "/messages", Map.of("text", QUESTION), 202);
      SessionProbe.awaitRest(service, session);

      var primary = endpoint.calls().stream().filter(call -> call.prompt().equals(QUESTION));
      var child = endpoint.calls().stream().filter(call -> call.prompt().equals(PROMPT)).toList();
      var last = primary.toList().getLast();
      assertThat(endpoint.errors()).isEmpty();
      assertThat(last.notices()).hasSize(1);
      assertThat(last.last().text()).contains("src/hay.txt:2");
      assertThat(child).hasSize(2);
      assertThat(child.getFirst().tools()).contains("grep", "read").doesNotContain("task", "write");
      assertThat(results(child.getLast())).contains("needle here", "src/hay.txt");
      assertThat(SessionProbe.roles(service, session))
          .startsWith("user", "assistant", "tool")
          .endsWith("user/notice", "assistant")
          .containsOnlyOnce("user/notice");
      assertThat(SessionProbe.lastText(service, session))
          .isEqualTo("It is in src/hay.txt, line 2.");
    }
  }

  private static String results(ModelCall call) {
    return call.turns().stream().filter(turn -> !turn.answers().isEmpty()).toList().toString();
  }

  private static Answer answer(ModelCall call) throws InterruptedException {
    return switch (call.prompt()) {
      case QUESTION -> primary(call);
      case PROMPT -> child(call);
      default -> throw new AssertionError("unexpected request: " + call);
    };
  }

  private static Answer primary(ModelCall call) {
    if (call.isFirst()) {
      return Answer.calls(
          Answer.call(
              "task",
              Map.of(
                  "description",
                  "find the needle",
                  "prompt",
                  PROMPT,
                  "subagent_type",
                  "explore",
                  "background",
                  true)));
    }
    return Answer.says(
        call.notices().isEmpty() ? "I delegated the search." : "It is in src/hay.txt, line 2.");
  }

  private static Answer child(ModelCall call) {
    if (call.isFirst()) {
      return Answer.calls(
          Answer.call("grep", Map.of("pattern", "needle")),
          Answer.call("read", Map.of("file_path", "src/hay.txt")));
    }
    return Answer.says("The needle is at src/hay.txt:2.");
  }
}
