package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.kit.Service;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The packaged service with agent files of its operator. */
class AgentFilesIT {

  @TempDir Path home;
  @TempDir Path agents;

  @Test
  void brokenFilePreventsTheStartWithOneSentence() throws Exception {
    write("description: Reviews.\nmaxTurns: many\n");

    var log = Service.refusal(home, environment());

    assertThat(log.lines())
        .filteredOn(line -> line.contains("reviewer.md"))
        .containsExactly(
            "Agent file %s:4: 'maxTurns' must be a whole number from 1 to 1000"
                .formatted(agents.resolve("reviewer.md")));
    assertThat(log).doesNotContain("\tat ", "Exception");
  }

  @Test
  void aliasOfAnInvalidModelPreventsTheStart() throws Exception {
    var log = Service.refusal(home, Map.of("ERRAND_MODEL_ALIASES_SMALL", "planner"));

    assertThat(log)
        .contains("errand.model-aliases", "must be provider:name")
        .doesNotContain("\tat ");
  }

  @Test
  void filesAndAliasesFromTheEnvironmentAreLoaded() throws Exception {
    write("description: Reviews.\nmodel: Small\nflavour: mint\n");

    try (var service = Service.start(home, environment())) {
      var agent = service.get("/v1/agents/reviewer");

      assertThat(agent.get("source").asText()).isEqualTo("reviewer.md");
      assertThat(agent.get("model").asText()).isEqualTo("offline:planner");
      assertThat(service.post("/v1/agents/reload", Map.of(), 200).get("warnings").get(0).asText())
          .startsWith("reviewer.md:5: unknown key 'flavour'");
    }
  }

  private void write(String fields) throws IOException {
    Files.writeString(
        agents.resolve("reviewer.md"), "---\nname: reviewer\n" + fields + "---\nYou review.\n");
  }

  private Map<String, String> environment() {
    return Map.of(
        "ERRAND_AGENTS_DIR", agents.toString(), "ERRAND_MODEL_ALIASES_SMALL", "offline:planner");
  }
}
