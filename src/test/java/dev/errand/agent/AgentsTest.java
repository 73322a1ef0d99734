package dev.errand.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.permission.Permissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AgentsTest {

  private final Agents agents = new Agents();

  @ParameterizedTest
  @CsvSource({"explore, explore", "Explore, explore", "GENERAL-PURPOSE, general", "' plan ', plan"})
  void agentsAreFoundByNameAndAliasWhateverTheCase(String asked, String found) {
    assertThat(agents.find(asked)).map(AgentDefinition::name).contains(found);
  }

  @Test
  void unknownNamesFindNobody() {
    assertThat(agents.find("nobody")).isEmpty();
  }

  @Test
  void primaryTakesNoTasksAndItsChildrenNoUsers() {
    assertThat(agents.delegable()).noneMatch(AgentDefinition::isPrimary);
    assertThat(agents.find("primary")).map(AgentDefinition::isDelegable).contains(false);
  }

  @ParameterizedTest
  @ValueSource(strings = {"todowrite", "todoread", "task", "spawn", "message"})
  void noChildMayDoWhatOnlyAParentMay(String tool) {
    assertThat(agents.delegable())
        .noneMatch(agent -> Permissions.ALL.narrowedBy(agent.rules()).mayEverAllow(tool));
  }

  @Test
  void planOnlyReads() {
    var plan = Permissions.ALL.narrowedBy(agents.find("plan").orElseThrow().rules());

    assertThat(plan.allow("read", "a.txt")).isTrue();
    assertThat(plan.allow("write", "a.txt")).isFalse();
    assertThat(plan.allow("a tool of tomorrow", "*")).isFalse();
  }
}
