package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.errand.kit.OddEndpoint;
import dev.errand.kit.OddEndpoint.Played;
import dev.errand.kit.Service;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The packaged service with the answers of {@code wire/answers.json}. */
class WireIT {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  @TempDir static Path home;
  private static OddEndpoint endpoint;
  private static Service service;

  @BeforeAll
  static void start() throws IOException {
    endpoint = OddEndpoint.start();
    var environment = new HashMap<>(endpoint.environment());
    environment.put("ERRAND_MODEL_RETRY_FIRST_DELAY", "1ms");
    environment.put("ERRAND_MODELS_PATIENCE", "0s");
    service = Service.start(home, environment);
  }

  @AfterAll
  static void stop() throws Exception {
    service.close();
    endpoint.close();
  }

  static List<Arguments> rows() throws IOException {
    try (var file = WireIT.class.getResourceAsStream("/wire/answers.json")) {
      var rows = JSON.readValue(file, new TypeReference<List<WireRow>>() {});
      var all = new ArrayList<Arguments>();
      for (var row : rows) {
        row.plays()
            .forEach((form, play) ->
                all.add(
                    Arguments.of(row.wire() + ": " + row.name() + " (" + form + ")", row, play)));
      }
      return all;
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rows")
  void answerIsReadForWhatIsMeant(String name, WireRow row, Played played) {
    var model = "row-" + Integer.toHexString(name.hashCode());
    var play = new ArrayList<>(List.of(played));
    play.addAll(row.rest());
    endpoint.play(model, play);

    var task = run(row.wire() + ":" + model);

    var next = endpoint.requests(model).stream().skip(1).map(JsonNode::toString).toList();
    if (row.error() != null) {
      assertThat(task.path("output").asText()).startsWith(row.error() + ":");
      return;
    }
    assertThat(task.path("output").asText())
        .as("%s", task)
        .isEqualTo(Objects.requireNonNullElse(row.says(), "DONE"));
    for (var fragment : Objects.requireNonNullElse(row.contains(), List.<String>of())) {
      assertThat(next).as("a further request").isNotEmpty();
      assertThat(next.getLast()).contains(fragment);
    }
    for (var fragment : Objects.requireNonNullElse(row.lacks(), List.<String>of())) {
      assertThat(next + task.path("output").asText()).doesNotContain(fragment);
    }
    if (row.usage() != null) {
      assertThat(task.at("/metadata/usage").toString())
          .contains(row.usage().toString().replaceAll("^\\{|\\}$", ""));
    }
  }

  private static JsonNode run(String model) {
    return service.post(
        "/v1/tasks",
        Map.of("description", "a task", "prompt", "Work.", "model", model),
        200,
        "Prefer",
        "wait=60");
  }
}
