package dev.errand.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.permission.Permissions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AgentFileSubagentsTest {

  @TempDir Path temporary;

  private AgentFileFolder folder;

  @BeforeEach
  void use() {
    folder = new AgentFileFolder(temporary);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tools: [Task, Agent]",
        "tools: '*'",
        "permissions: [{permission: task, action: allow}]",
        "permissions: [{permission: '*', action: allow}]"
      })
  void childWithoutSubagentsCannotDelegate(String line) throws IOException {
    var child = folder.tester(line).asChildOf(Permissions.ALL);

    assertThat(AgentDefinition.DELEGATION).noneMatch(child::mayEverAllow);
  }

  @ParameterizedTest
  @ValueSource(strings = {"subagents: [Explore]", "tools: read\nsubagents: explore"})
  void childDelegatesOnlyToItsSubagents(String lines) throws IOException {
    var child = folder.tester(lines).asChildOf(Permissions.ALL);

    assertThat(child.allow("task", "explore")).isTrue();
    assertThat(child.allow("task", "general")).isFalse();
    assertThat(Stream.of("task_output", "task_cancel", "task_list")).allMatch(child::mayEverAllow);
    assertThat(child.mayEverAllow("spawn")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tools: Read, Task(Explore), Agent(general-purpose)",
        "tools: [Read, 'Agent(explore, general)']",
        "tools: Task, Task(explore), Task(general)",
        "tools: '*, Task(explore), Task(general)'"
      })
  void agentsNamedWithTheTaskToolAreSubagents(String line) throws IOException {
    var agent = folder.tester(line);
    var child = agent.asChildOf(Permissions.ALL);

    assertThat(folder.warnings()).isEmpty();
    assertThat(agent.terms().subagents()).containsExactly("explore", "general");
    assertThat(child.allow("task", "explore")).isTrue();
    assertThat(child.allow("task", "general")).isTrue();
    assertThat(child.allow("task", "plan")).isFalse();
    assertThat(AgentDefinition.DELEGATION).allMatch(child::mayEverAllow);
  }

  @Test
  void rootDelegatesOnlyToAgentsNamedWithTheTaskTool() throws IOException {
    var root = folder.tester("mode: primary\ntools: Read, Task(explore)").asRoot(Permissions.ALL);

    assertThat(root.allow("task", "explore")).isTrue();
    assertThat(root.allow("task", "general")).isFalse();
    assertThat(root.mayEverAllow("spawn")).isFalse();
    assertThat(root.mayEverAllow("write")).isFalse();
  }

  @Test
  void taskWithoutSubagentsIsAWarning() throws IOException {
    assertThat(folder.warning("tools: read, Task"))
        .isEqualTo(
            "tester.md:4: a subagent delegates only to its 'subagents', and this file names none");
  }

  @Test
  void agentsMayBeDeniedByAliasAndInAnyCase() throws IOException {
    var root =
        folder
            .tester("mode: primary\ndisallowedTools: Agent(Explore, bash), Task(General-Purpose)")
            .asRoot(Permissions.ALL);

    assertThat(root.allow("task", "explore")).isFalse();
    assertThat(root.allow("task", "bash")).isFalse();
    assertThat(root.allow("task", "general")).isFalse();
    assertThat(root.allow("task", "plan")).isTrue();
  }

  @Test
  void spawnRequiresGeneralAsASubagent() throws IOException {
    assertThat(
            folder
                .tester("subagents: general-purpose")
                .asChildOf(Permissions.ALL)
                .mayEverAllow("spawn"))
        .isTrue();
  }

  @Test
  void starMeansAllAgentsThatTakeTasks() throws IOException {
    assertThat(folder.tester("subagents: '*'").terms().subagents())
        .containsExactlyInAnyOrder("general", "explore", "plan", "bash", "skill", "tester");
  }

  @Test
  void rootDelegatesToAllAgentsUnlessItNamesSome() throws IOException {
    var some = folder.tester("mode: primary\nsubagents: explore").asRoot(Permissions.ALL);
    var all = folder.tester("mode: primary").asRoot(Permissions.ALL);

    assertThat(some.allow("task", "general")).isFalse();
    assertThat(some.allow("task", "explore")).isTrue();
    assertThat(all.allow("task", "general")).isTrue();
    assertThat(all.mayEverAllow("todowrite")).isTrue();
  }
}
