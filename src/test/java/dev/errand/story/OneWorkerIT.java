package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.kit.OpenAiStub;
import dev.errand.kit.Service;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.ModelCall;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A service with a single worker. */
class OneWorkerIT {

  @TempDir Path home;

  @Test
  void parentThatWaitsForTwoChildrenDoesNotHoldTheOnlyWorker() throws Exception {
    try (var endpoint = StubEndpoint.start(new OpenAiStub(), OneWorkerIT::answer)) {
      var environment = new HashMap<>(endpoint.environment());
      environment.put("ERRAND_MAX_CONCURRENT_RUNS", "1");
      try (var service = Service.startWithoutCopy(home, environment)) {
        var session = service.post("/v1/sessions", Map.of(), 201).get("id").asText();

        var replied =
            service.post(
                "/v1/sessions/" + session + "/messages",
                Map.of("text", "Ask both."),
                200,
                "Prefer",
                "wait=100");

        assertThat(SessionProbe.text(replied.get("reply"))).isEqualTo("Both answered.");
        assertThat(endpoint.errors()).isEmpty();
        assertThat(SessionProbe.roles(service, session))
            .containsExactly("user", "assistant", "tool", "assistant");
      }
    }
  }

  private static Answer answer(ModelCall call) {
    if (!call.prompt().equals("Ask both.")) {
      return Answer.says("my answer");
    }
    return call.isFirst()
        ? Answer.calls(Answer.task("left", false), Answer.task("right", false))
        : Answer.says("Both answered.");
  }
}
