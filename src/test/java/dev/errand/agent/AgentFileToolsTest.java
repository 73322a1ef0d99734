package dev.errand.agent;

import static dev.errand.agent.AgentFileFolder.BODY;
import static dev.errand.agent.AgentFileFolder.HEAD;
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

class AgentFileToolsTest {

  @TempDir Path temporary;

  private AgentFileFolder folder;

  @BeforeEach
  void use() {
    folder = new AgentFileFolder(temporary);
  }

  @Test
  void unknownToolIsAWarning() throws IOException {
    folder.write("tester.md", HEAD + "tools:\n- Read\n- Teleport\n" + BODY);

    assertThat(folder.warnings())
        .containsExactly("tester.md:6: there is no tool 'Teleport' at the moment");
  }

  @Test
  void unknownGroupsAndAgentsInRulesAreWarnings() throws IOException {
    folder.write(
        "tester.md",
        HEAD
            + "permissions:\n"
            + "- {permission: 'mcp:raed-only', action: deny}\n"
            + "- {permission: 'mcp:read-only', action: deny}\n"
            + "- {permission: task, pattern: explorer, action: deny}\n"
            + BODY);

    assertThat(folder.warnings())
        .containsExactly(
            "tester.md:5: there is no group of tools 'mcp:raed-only'",
            "tester.md:7: a rule names the agent 'explorer', which does not exist");
  }

  @Test
  void aRuleMayNameItsToolInThePattern() throws IOException {
    var child =
        folder
            .tester("permissions:\n- {permission: tool, pattern: Bash, action: deny}")
            .asChildOf(Permissions.ALL);

    assertThat(child.mayEverAllow("bash")).isFalse();
    assertThat(child.mayEverAllow("read")).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"tools: Read, MultiEdit, LS", "tools: [read, 'Edit', list]"})
  void listOfToolsDeniesAllOthers(String line) throws IOException {
    var child = folder.tester(line).asChildOf(Permissions.ALL);

    assertThat(Stream.of("read", "edit", "list")).allMatch(tool -> child.allow(tool, "a.txt"));
    assertThat(Stream.of("write", "task", "todoread", "a tool of tomorrow"))
        .noneMatch(child::mayEverAllow);
  }

  @Test
  void listOfToolsMayBeEmpty() throws IOException {
    assertThat(folder.tester("tools: []").asChildOf(Permissions.ALL).mayEverAllow("read"))
        .isFalse();
  }

  @Test
  void patternLimitsTheCallsOfATool() throws IOException {
    var child = folder.tester("tools: Read(./src/**), Bash(git:*)").asChildOf(Permissions.ALL);

    assertThat(child.allow("read", "src/main/A.java")).isTrue();
    assertThat(child.allow("read", "pom.xml")).isFalse();
    assertThat(child.allow("bash", "git status")).isTrue();
    assertThat(child.allow("bash", "git")).isTrue();
    assertThat(child.allow("bash", "gitk")).isFalse();
  }

  @Test
  void domainPatternMatchesHosts() throws IOException {
    var child =
        folder
            .tester("tools: WebFetch(domain:Docs.example.org), webfetch(domain:*.good.org)")
            .asChildOf(Permissions.ALL);

    assertThat(child.allow("webfetch", "docs.example.org")).isTrue();
    assertThat(child.allow("webfetch", "example.org")).isFalse();
    assertThat(child.allow("webfetch", "www.good.org")).isTrue();
    assertThat(child.allow("webfetch", "good.org")).isFalse();
  }

  @Test
  void toolsOfMcpServersMayHaveTheNamesOfOtherProducts() throws IOException {
    var child = folder.tester("tools: mcp__github__getIssue, mcp__jira").asChildOf(Permissions.ALL);

    assertThat(child.allow("github_getIssue", "*")).isTrue();
    assertThat(child.allow("github_close", "*")).isFalse();
    assertThat(child.allow("jira_search", "*")).isTrue();
  }

  @Test
  void ruleForToolsWithoutAPatternIsForAllTools() throws IOException {
    var child =
        folder
            .tester(
                "permissions:\n"
                    + "- {permission: tool, action: deny}\n"
                    + "- {permission: tool, pattern: Read, action: allow}")
            .asChildOf(Permissions.ALL);

    assertThat(child.mayEverAllow("read")).isTrue();
    assertThat(child.mayEverAllow("write")).isFalse();
  }

  @Test
  void disallowedToolsAreDeniedEvenIfListed() throws IOException {
    var child =
        folder.tester("tools: [read, write]\ndisallowed_tools: Write").asChildOf(Permissions.ALL);

    assertThat(child.mayEverAllow("read")).isTrue();
    assertThat(child.mayEverAllow("write")).isFalse();
  }

  @Test
  void permissionsAreAppliedLast() throws IOException {
    var child =
        folder
            .tester(
                "permissions:\n"
                    + "- {permission: Write, action: deny}\n"
                    + "- {permission: write, pattern: docs/*, action: allow}")
            .asChildOf(Permissions.ALL);

    assertThat(child.allow("write", "src/a")).isFalse();
    assertThat(child.allow("write", "docs/a")).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"tools: [read, TodoWrite]", "tools: ['*', todowrite]"})
  void toolsThatChildrenLackAreGrantedByName(String line) throws IOException {
    var child = folder.tester(line).asChildOf(Permissions.ALL);

    assertThat(child.mayEverAllow("todowrite")).isTrue();
    assertThat(child.mayEverAllow("todoread")).isFalse();
  }
}
