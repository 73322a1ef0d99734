package dev.errand.agent;

import static dev.errand.agent.AgentFileFolder.BODY;
import static dev.errand.agent.AgentFileFolder.HEAD;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class BrokenAgentFileTest {

  @TempDir Path temporary;

  private AgentFileFolder folder;

  @BeforeEach
  void use() {
    folder = new AgentFileFolder(temporary);
  }

  static Stream<Arguments> broken() {
    return Stream.of(
        Arguments.of("---\nname: x\n", 1, "second line '---' is missing"),
        Arguments.of("---\n---\nYou test.", 1, "'description' is missing"),
        Arguments.of("---\n- name: x\n---\nYou test.", 2, "key: value"),
        Arguments.of("---\n{name: x, description\n---\nYou test.", 2, "not valid YAML"),
        Arguments.of("---\nname: tester\n" + BODY, 1, "'description' is missing"),
        Arguments.of(HEAD + "---\n\n \n", 1, "prompt is missing"),
        Arguments.of(HEAD + "tools: [read\n" + BODY, 4, "'[read' is not a tool"),
        Arguments.of(HEAD + "\tmode: all\n" + BODY, 4, "would be part of 'description'"),
        Arguments.of(HEAD + "name: other\n" + BODY, 4, "given twice, first as 'name' in line 2"),
        Arguments.of(
            HEAD + "maxTurns: 3\nmax_turns: 4\n" + BODY, 5, "first as 'maxTurns' in line 4"),
        Arguments.of(HEAD + "timeout: 3\ntimeoutMs: 4\n" + BODY, 5, "given twice"),
        Arguments.of("---\ndescription: Tests.\nname: C++ Expert\n" + BODY, 3, "'name' must have"),
        Arguments.of("---\nname: 7\ndescription: Tests.\n" + BODY, 2, "put quotes around 7"),
        Arguments.of("---\nname: tester\ndescription:\n" + BODY, 3, "has no value"),
        Arguments.of("---\nname: tester\ndescription: # later\n" + BODY, 3, "has no value"),
        Arguments.of("---\nname: tester\ndescription: ''\n" + BODY, 3, "not empty"),
        Arguments.of(HEAD + "tools:\n" + BODY, 4, "has no value"),
        Arguments.of(HEAD + "mode: tool\n" + BODY, 4, "primary, subagent or all"),
        Arguments.of(HEAD + "maxTurns: many\n" + BODY, 4, "whole number from 1 to 1000"),
        Arguments.of(HEAD + "maxTurns: 0\n" + BODY, 4, "whole number"),
        Arguments.of(HEAD + "maxRetries: 1.5\n" + BODY, 4, "whole number from 0"),
        Arguments.of(HEAD + "timeoutMs: 5m\n" + BODY, 4, "whole number"),
        Arguments.of(HEAD + "isolation: chroot\n" + BODY, 4, "shared or worktree"),
        Arguments.of(HEAD + "tools:\n  - read\n  - 7\n" + BODY, 6, "put quotes around 7"),
        Arguments.of(HEAD + "tools: Read Grep\n" + BODY, 4, "'Read Grep' is not a tool"),
        Arguments.of(HEAD + "disallowedTools: Bash(domain:x.org)\n" + BODY, 4, "is not a tool"),
        Arguments.of(HEAD + "tools: [spawn(explore)]\n" + BODY, 4, "in 'subagents'"),
        Arguments.of(HEAD + "tools: ['Task(explore,)']\n" + BODY, 4, "is not a tool"),
        Arguments.of(HEAD + "tools:\n- Agent(wizard)\n" + BODY, 5, "there is no agent 'wizard'"),
        Arguments.of(
            HEAD + "subagents: explore\ntools: Read, Task(plan)\n" + BODY,
            5,
            "name the agents in one of them"),
        Arguments.of(
            HEAD + "subagents: [explore, wizard]\n" + BODY, 4, "there is no agent 'wizard'"),
        Arguments.of(
            HEAD + "subagents:\n- explore\n- primary\n" + BODY, 6, "there is no agent 'primary'"),
        Arguments.of(HEAD + "permissions: read\n" + BODY, 4, "'permissions' must be true, false"),
        Arguments.of(HEAD + "permissions:\n- read\n" + BODY, 5, "must have permission"),
        Arguments.of(
            HEAD + "permissions:\n- permission: read\n" + BODY,
            5,
            "must have permission and action"),
        Arguments.of(
            HEAD + "permissions:\n- permission: read\n  action: ask\n" + BODY, 6, "allow or deny"),
        Arguments.of(
            HEAD + "permissions:\n- permission: read\n  path: a\n" + BODY, 6, "'path' is unknown"),
        Arguments.of(
            HEAD + "permissions:\n- {permission: 'Bash(git:*)', action: allow}\n" + BODY,
            5,
            "'Bash(git:*)' in a rule must not have parentheses; write permission: bash, pattern:"
                + " 'git *'"),
        Arguments.of(
            HEAD
                + "permissions:\n- {permission: tool, pattern: Read(docs/*), action: deny}\n"
                + BODY,
            5,
            "write permission: read, pattern: 'docs/*'"),
        Arguments.of(
            "---\nname: primary\nmode: subagent\ndescription: No.\n" + BODY, 2, "root sessions"));
  }

  @ParameterizedTest(name = "{2}")
  @MethodSource("broken")
  void errorNamesFileAndLine(String text, int line, String problem) throws IOException {
    folder.write("tester.md", text);

    assertThat(folder.problems())
        .singleElement()
        .asString()
        .startsWith("tester.md:" + line + ": ")
        .contains(problem);
    assertThat(folder.read().catalog().find("tester")).isEmpty();
  }
}
