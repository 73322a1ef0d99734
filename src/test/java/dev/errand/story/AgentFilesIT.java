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
  void settingThatNamesNoAgentOrAnUnknownKeyPreventsTheStart() throws Exception {
    var unknownAgent =
        Service.refusal(home, Map.of("JAVA_TOOL_OPTIONS", "-Derrand.agents.explorer.max-turns=3"));
    var unknownKey =
        Service.refusal(home, Map.of("JAVA_TOOL_OPTIONS", "-Derrand.agents.explore.max-turn=3"));

    assertThat(unknownAgent)
        .contains("errand.agents.explorer: there is no agent 'explorer'; agents: primary, general,")
        .doesNotContain("\tat ");
    assertThat(unknownKey).contains("errand.agents.explore.max-turn").doesNotContain("\tat ");
  }

  @Test
  void filesAliasesSettingsAndLimitsOfTheShippedServiceAreInEffect() throws Exception {
    write("description: Reviews.\nmodel: Small\nflavour: mint\n");
    Files.createDirectory(agents.resolve("reviewer"));
    Files.writeString(
        agents.resolve("reviewer/scout.md"),
        "---\nname: scout\ndescription: Looks.\n---\nYou look.\n");

    try (var service = Service.start(home, environment())) {
      assertThat(service.get("/v1/agents/reviewer/scout").get("parent").asText())
          .isEqualTo("reviewer");
      assertThat(service.get("/v1/agents/explore").get("max_turns").asInt()).isEqualTo(9);
      var session = service.post("/v1/sessions", Map.of("model", "Opus"), 201);
      assertThat(session.get("model").asText()).isEqualTo("offline:planner");
      assertThat(session.get("limits").get("max_delegations").asInt()).isEqualTo(64);
      assertThat(session.get("limits").get("max_background_tasks").asInt()).isEqualTo(10);
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
        "ERRAND_AGENTS_DIR", agents.toString(),
        "ERRAND_AGENTS_EXPLORE_MAX_TURNS", "9",
        "ERRAND_MODEL_ALIASES_SMALL", "offline:planner");
  }
}
