package dev.errand.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.permission.Permissions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Agents in a directory that is named like another agent. */
class PrivateAgentsTest {

  @TempDir Path temporary;

  private AgentFileFolder folder;

  @BeforeEach
  void use() {
    folder = new AgentFileFolder(temporary);
  }

  @Test
  void privateAgentIsUsedOnlyByItsParent() throws IOException {
    folder.agent("lead.md", "lead", "");
    folder.agent("Lead/scout.md", "Scout", "");
    folder.agent("other.md", "other", "subagents: '*'\n");

    var found = folder.read();
    var agents = found.catalog();
    var scout = agents.find("scout", "lead").orElseThrow();

    assertThat(found.diagnostics().warnings()).isEmpty();
    assertThat(scout.name()).isEqualTo("lead/scout");
    assertThat(scout.source()).isEqualTo("Lead/scout.md");
    assertThat(agents.find("LEAD/scout")).contains(scout);
    for (var stranger : List.of("other", "primary", "lead/scout", "")) {
      assertThat(agents.find("scout", stranger)).isEmpty();
      assertThat(agents.find("lead/scout", stranger)).isEmpty();
      assertThat(agents.delegableBy(stranger)).doesNotContain(scout);
    }
    assertThat(agents.find("other").orElseThrow().terms().subagents()).doesNotContain("lead/scout");
    assertThat(child(agents, "lead").allow("task", "lead/scout")).isTrue();
    assertThat(child(agents, "lead").allow("task", "general")).isFalse();
    assertThat(child(agents, "lead").mayEverAllow("task_output")).isTrue();
    assertThat(child(agents, "lead").mayEverAllow("spawn")).isFalse();
    assertThat(scout.asChildOf(child(agents, "lead")).mayEverAllow("task")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"tools: Read\n", "tools: Read, Task\n", ""})
  void parentNeedsNoEntryAndKeepsItsTools(String tools) throws IOException {
    folder.agent("lead.md", "lead", tools);
    folder.agent("lead/scout.md", "scout", "");

    var found = folder.read();
    var lead = child(found.catalog(), "lead");

    assertThat(found.diagnostics().warnings()).isEmpty();
    assertThat(lead.allow("task", "lead/scout")).isTrue();
    assertThat(lead.allow("write", "a.txt")).isEqualTo(tools.isEmpty());
  }

  @Test
  void parentThatDeniesTaskDoesNotDelegate() throws IOException {
    folder.agent("lead.md", "lead", "disallowedTools: Task\n");
    folder.agent("lead/scout.md", "scout", "");

    assertThat(child(folder.read().catalog(), "lead").mayEverAllow("task")).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"general", "plan", "bash", "explore", "skill"})
  void builtInAgentsHavePrivateAgents(String parent) throws IOException {
    folder.agent(parent + "/scout.md", "scout", "");

    var agents = folder.read().catalog();

    assertThat(child(agents, parent).allow("task", parent + "/scout")).isTrue();
    assertThat(child(agents, parent).allow("task", "general")).isFalse();
    assertThat(agents.find("primary").orElseThrow().asRoot(Permissions.ALL).allow("task", "plan"))
        .isTrue();
  }

  @Test
  void rootThatNamesItsSubagentsAlsoUsesItsPrivateAgentsAndTheyUseTheirs() throws IOException {
    folder.agent("lead.md", "lead", "mode: primary\nsubagents: reviewer\n");
    folder.agent("lead/scout.md", "scout", "");
    folder.agent("reviewer.md", "reviewer", "");
    folder.agent("reviewer/scout.md", "scout", "");
    folder.agent("reviewer/scout/deep.md", "deep", "");

    var agents = folder.read().catalog();
    var lead = agents.find("lead").orElseThrow().asRoot(Permissions.ALL);
    var reviewer = agents.find("reviewer").orElseThrow().asChildOf(lead);
    var scout = agents.find("scout", "reviewer").orElseThrow().asChildOf(reviewer);

    assertThat(agents.delegableBy("lead", lead))
        .extracting(AgentDefinition::name)
        .containsExactly("reviewer", "lead/scout");
    assertThat(agents.delegableBy("reviewer", reviewer))
        .extracting(AgentDefinition::name)
        .containsExactly("reviewer/scout");
    assertThat(agents.delegableBy("reviewer/scout", scout))
        .extracting(AgentDefinition::localName)
        .containsExactly("deep");
  }

  @Test
  void privateAgentComesBeforeAnotherOfItsName() throws IOException {
    folder.agent("lead.md", "lead", "subagents: [explore, general]\n");
    folder.agent("lead/explore.md", "explore", "");

    var agents = folder.read().catalog();

    assertThat(agents.find("Explore", "lead")).map(AgentDefinition::name).contains("lead/explore");
    assertThat(agents.find("explore", "primary")).map(AgentDefinition::name).contains("explore");
    assertThat(agents.find("lead").orElseThrow().terms().subagents())
        .containsExactly("lead/explore", "general");
    assertThat(AgentCatalog.names(agents.delegableBy("lead", child(agents, "lead"))))
        .isEqualTo("general, explore");
  }

  @Test
  void namesAreUniqueForEachParent() throws IOException {
    folder.agent("lead.md", "lead", "");
    folder.agent("lead/a.md", "scout", "");
    folder.agent("plan/a.md", "scout", "");
    assertThat(folder.read().catalog().find("plan/scout")).isPresent();

    folder.agent("lead/b.md", "scout", "");

    assertThat(folder.problems())
        .containsExactly("lead/b.md:2: the agent in lead/a.md has the name 'lead/scout' already");
  }

  /** Only an agent next to the folder counts, so that a name somewhere else changes nothing. */
  @Test
  void folderThatIsNotNamedLikeAnAgentIsATopic() throws IOException {
    folder.agent("quality/testing.md", "testing", "");
    folder.agent("testing/scout.md", "scout", "");
    folder.agent("quality/explore/historian.md", "historian", "");
    folder.agent("quality/testing/probe.md", "probe", "");

    var agents = folder.read().catalog();

    assertThat(folder.problems()).isEmpty();
    assertThat(agents.find("scout")).map(AgentDefinition::source).contains("testing/scout.md");
    assertThat(agents.find("historian")).isPresent();
    assertThat(agents.find("testing/probe")).map(AgentDefinition::parent).contains("testing");
  }

  /** Its other agents would be for all otherwise. */
  @ParameterizedTest
  @ValueSource(strings = {"lead.md", "mine.md"})
  void privateAgentsOfABrokenFileStayPrivate(String file) throws IOException {
    folder.agent(file, "lead", "maxTurns: many\n");
    folder.agent("lead/scout.md", "scout", "");

    var agents = folder.read().catalog();

    assertThat(folder.problems()).hasSize(1);
    assertThat(agents.find("scout")).isEmpty();
    assertThat(agents.find("scout", "lead")).isPresent();
  }

  @Test
  void privateAgentIsASubagentWithANameOfLimitedLength() throws IOException {
    folder.agent("plan/scout.md", "scout", "mode: all\n");
    assertThat(folder.problems())
        .containsExactly(
            "plan/scout.md:4: 'mode' of a private agent must be subagent; leave it out");

    var name = "a".repeat(64);
    folder.agent("plan/scout.md", name, "");
    folder.agent("plan/" + name + "/scout.md", name, "");
    assertThat(folder.problems())
        .singleElement()
        .asString()
        .contains("must have at most 100 characters");
  }

  private static Permissions child(AgentCatalog agents, String name) {
    return agents.find(name).orElseThrow().asChildOf(Permissions.ALL);
  }
}
