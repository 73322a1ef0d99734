package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.kit.OpenAiStub;
import dev.errand.kit.Service;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A service without a reachable trace collector. */
class NoCollectorIT {

  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final int TASKS = 20;

  @TempDir Path home;

  @Test
  void unreachableCollectorCausesFewWarnings() throws Exception {
    try (var endpoint = StubEndpoint.start(new OpenAiStub(), _ -> Answer.says("Done."));
        var service = Service.start(home, withUnreachableCollector(endpoint))) {
      for (int round = 0; round < TASKS; round++) {
        submit(service);
      }
      await().atMost(TIMEOUT).until(() -> !warnings(service).isEmpty());
      service.stop();

      assertThat(warnings(service)).hasSizeBetween(1, 12);
    }
  }

  private static void submit(Service service) {
    var parent = service.post("/v1/sessions", Map.of(), 201).get("id").asText();
    var task =
        Map.of(
            "parent_session_id",
            parent,
            "description",
            "a task",
            "prompt",
            "Do it.",
            "background",
            true);
    service.post("/v1/tasks", task, 202);
    SessionProbe.awaitRest(service, parent);
  }

  private static Map<String, String> withUnreachableCollector(StubEndpoint endpoint) {
    var environment = new HashMap<>(endpoint.environment());
    environment.put("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1");
    environment.put("QUARKUS_OTEL_BSP_SCHEDULE_DELAY", "50ms");
    return environment;
  }

  private static List<String> warnings(Service service) throws IOException {
    return service.logged().stream().filter(line -> line.contains("Failed to export")).toList();
  }
}
