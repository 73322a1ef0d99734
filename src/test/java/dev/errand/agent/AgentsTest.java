package dev.errand.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.permission.Permissions;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AgentsTest {

  private final Agents agents = PlainAgents.in(Path.of("none"));

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
    assertThat(agents.delegableWith(Permissions.ALL)).noneMatch(AgentDefinition::isPrimary);
    assertThat(agents.find("primary")).map(AgentDefinition::isDelegable).contains(false);
  }

  @ParameterizedTest
  @ValueSource(strings = {"todowrite", "todoread", "task", "spawn", "message"})
  void childrenDoNotHaveTheToolsOfParents(String tool) {
    assertThat(agents.delegableWith(Permissions.ALL))
        .noneMatch(agent -> agent.asChildOf(Permissions.ALL).mayEverAllow(tool));
  }

  @Test
  void planOnlyReads() {
    var plan = agents.find("plan").orElseThrow().asChildOf(Permissions.ALL);

    assertThat(plan.allow("read", "a.txt")).isTrue();
    assertThat(plan.allow("write", "a.txt")).isFalse();
    assertThat(plan.allow("a tool of tomorrow", "*")).isFalse();
  }
}
