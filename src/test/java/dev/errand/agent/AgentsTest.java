package dev.errand.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.errand.markdown.BrokenFile;
import dev.errand.permission.Permissions;
import dev.errand.tool.mcp.PlainServers;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.configuration.ConfigurationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AgentsTest {

  private final AgentCatalog agents = PlainAgents.in(Path.of("none")).of("default");

  @ParameterizedTest
  @CsvSource({"explore, explore", "Explore, explore", "GENERAL-PURPOSE, general", "' plan ', plan"})
  void agentsAreFoundByNameAndAliasIgnoringCase(String asked, String found) {
    assertThat(agents.find(asked)).map(AgentDefinition::name).contains(found);
  }

  @Test
  void unknownNamesAreNotFound() {
    assertThat(agents.find("unknown")).isEmpty();
  }

  @Test
  void primaryTakesNoTasksAndSubagentsRunNoRootSessions() {
    assertThat(agents.delegableBy("primary", Permissions.ALL))
        .hasSize(5)
        .noneMatch(AgentDefinition::isPrimary);
    assertThat(agents.find("primary")).map(AgentDefinition::isDelegable).contains(false);
  }

  @ParameterizedTest
  @ValueSource(strings = {"todowrite", "todoread", "task", "spawn", "message"})
  void childrenDoNotHaveTheToolsOfParents(String tool) {
    assertThat(agents.delegableBy("primary", Permissions.ALL))
        .filteredOn(agent -> !tool.equals("task") || agent.terms().subagents().isEmpty())
        .hasSizeGreaterThan(3)
        .noneMatch(agent -> agent.asChildOf(Permissions.ALL).mayEverAllow(tool));
  }

  @Test
  void skillDelegatesToExploreOnly() {
    var skill = agents.find("skill").orElseThrow().asChildOf(Permissions.ALL);

    assertThat(agents.delegableBy("skill", skill))
        .extracting(AgentDefinition::name)
        .containsExactly("explore");
    assertThat(skill.mayEverAllow("spawn")).isFalse();
  }

  @Test
  void settingsTakePrecedenceOverDefinitions(@TempDir Path folder) throws IOException {
    new AgentFileFolder(folder).agent("lead.md", "lead", "maxTurns: 4\nmaxRetries: 5\n");
    var settings =
        Map.<String, AgentConfig.AgentSettings>of(
            "lead", new Set(Optional.of(7), Optional.empty(), Optional.empty(), Optional.empty()),
            "explore",
                new Set(
                    Optional.empty(),
                    Optional.of(Duration.ofMinutes(9)),
                    Optional.of(0),
                    Optional.of("Mind the tests.")));

    var files = PlainAgents.files(folder, Map.of(), settings);
    var found = files.read("default", AgentFiles.LoadedAgents.NOTHING);

    assertThat(found.catalog().find("lead").orElseThrow().terms())
        .isEqualTo(new AgentDefinition.RunDefaults(null, List.of(), 7, 5, Duration.ofMinutes(5)));
    assertThat(found.catalog().find("explore").orElseThrow())
        .satisfies(
            explore ->
                assertThat(explore.terms())
                    .isEqualTo(
                        new AgentDefinition.RunDefaults(
                            null, List.of(), 15, 0, Duration.ofMinutes(9))),
            explore ->
                assertThat(explore.prompt())
                    .startsWith("You are a subagent that explores")
                    .endsWith(".\n\nMind the tests."));
    assertThat(files.unknownSetting(found)).isEmpty();
    assertThat(files.unknownSetting(AgentFiles.LoadedAgents.BUILT_IN))
        .hasValueSatisfying(problem ->
            assertThat(problem)
                .startsWith("errand.agents.lead: there is no agent 'lead'; agents: primary, "));
  }

  @Test
  void settingOfAnUnknownAgentPreventsTheStart(@TempDir Path folder) {
    var turns = new Set(Optional.of(3), Optional.empty(), Optional.empty(), Optional.empty());
    var files = PlainAgents.files(folder, Map.of(), Map.of("explorer", turns));
    var started = new Agents(files, PlainServers.none(), new SimpleMeterRegistry());

    assertThatThrownBy(() -> started.load(new StartupEvent()))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith(
            "errand.agents.explorer: there is no agent 'explorer'; agents: primary, general,");
  }

  private record Set(
      Optional<Integer> maxTurns,
      Optional<Duration> timeout,
      Optional<Integer> maxRetries,
      Optional<String> extraPrompt)
      implements AgentConfig.AgentSettings {}

  @Test
  void tenantsHaveAgentsOfTheirOwn(@TempDir Path folder) throws IOException {
    var broken = folder.resolve("b/tester.md");
    for (var file : List.of(folder.resolve("a/tester.md"), broken)) {
      Files.createDirectories(file.getParent());
      Files.writeString(file, AgentFileFolder.HEAD + AgentFileFolder.BODY);
    }
    Files.writeString(broken, "---\nname: tester\nmodel: [\n---\nYou test.\n");
    var apart = PlainAgents.in(folder.resolve("{tenant}"));

    assertThat(apart.of("a").find("tester")).isPresent();
    assertThat(apart.of("c").find("tester")).isEmpty();
    assertThat(apart.of("c").find("explore")).isPresent();
    assertThat(apart.of("b").find("tester")).isEmpty();
    assertThat(apart.of("b").find("explore")).isPresent();
    assertThat(apart.problems("b")).extracting(BrokenFile::place).containsExactly("tester.md:1");
    assertThat(apart.problems("a")).isEmpty();

    Files.delete(broken);
    apart.reload("b");
    assertThat(apart.problems("b")).isEmpty();
    assertThat(apart.of("a").find("tester")).isPresent();

    Files.writeString(
        folder.resolve("a/tester.md"),
        AgentFileFolder.HEAD + "mcpServers:\n- own: {command: x}\n" + AgentFileFolder.BODY);
    apart.reload("a");
    assertThat(apart.problems("a"))
        .singleElement()
        .satisfies(refused -> assertThat(refused.problem()).contains("of a tenant"));
    assertThatThrownBy(() -> apart.of("../a")).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void planOnlyReads() {
    var plan = agents.find("plan").orElseThrow().asChildOf(Permissions.ALL);

    assertThat(plan.allow("read", "a.txt")).isTrue();
    assertThat(plan.allow("write", "a.txt")).isFalse();
    assertThat(plan.allow("a tool of tomorrow", "*")).isFalse();
  }
}
