package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.kit.EventClient;
import dev.errand.kit.EventClient.Received;
import dev.errand.kit.OpenAiStub;
import dev.errand.kit.Service;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * A client of an event stream misses no events when the process that serves it ends. Each test ends
 * with a new process, which the next one uses.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EventsIT {

  private static final int TASKS = 5;
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final StubEndpoint endpoint;
  private final Service service;

  EventsIT(@TempDir Path home) throws IOException {
    endpoint = StubEndpoint.start(new OpenAiStub(), _ -> Answer.says("Done."));
    service = Service.start(home, endpoint.environment());
  }

  @AfterAll
  void stop() throws Exception {
    service.close();
    endpoint.close();
  }

  @Test
  void stoppedServiceSendsARetryDelayAndTheClientMissesNoEvents() throws Exception {
    var parent = service.post("/v1/sessions", Map.of("kind", "external"), 201).get("id").asText();
    try (var client = EventClient.follow(service.uri(stream(parent)))) {
      delegate(service, parent);
      await().atMost(TIMEOUT).until(() -> ended(client) == TASKS);

      service.stop();
      assertThat(client.retries()).isNotEmpty();
      assertThat(Integer.parseInt(client.retries().getFirst())).isBetween(1_000, 2_000);
      assertThat(client.cleanEnds()).isPositive();

      service.startAgain();
      delegate(service, parent);
      await().atMost(TIMEOUT).until(() -> ended(client) == 2 * TASKS);
      SessionProbe.awaitRest(service, parent);

      assertComplete(client);
    }
  }

  @Test
  void clientMissesNoEventsWhenTheServiceIsKilled() throws Exception {
    var parent = service.post("/v1/sessions", Map.of("kind", "external"), 201).get("id").asText();
    try (var client = EventClient.follow(service.uri(stream(parent)))) {
      delegate(service, parent);
      await().atMost(TIMEOUT).until(() -> ended(client) > 0);

      service.kill();
      service.startAgain();
      delegate(service, parent);
      await().atMost(TIMEOUT).until(() -> ended(client) == 2 * TASKS);

      assertComplete(client);
    }
  }

  private static String stream(String session) {
    return "/v1/sessions/" + session + "/events?tree=true";
  }

  private static void delegate(Service service, String parent) {
    for (int task = 0; task < TASKS; task++) {
      var body =
          Map.of(
              "parent_session_id",
              parent,
              "description",
              "task " + task,
              "prompt",
              "Do it.",
              "background",
              true);
      service.post("/v1/tasks", body, 202);
    }
  }

  private static long ended(EventClient client) {
    return client.types().stream().filter("subagent.completed"::equals).count();
  }

  private static void assertComplete(EventClient client) {
    var numbers = client.received().stream().map(Received::id).toList();
    assertThat(numbers)
        .containsExactlyElementsOf(LongStream.rangeClosed(1, numbers.size()).boxed().toList());
  }
}
