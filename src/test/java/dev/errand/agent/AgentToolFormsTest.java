package dev.errand.agent;

import static dev.errand.agent.AgentFileFolder.BODY;
import static dev.errand.agent.AgentFileFolder.HEAD;
import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.permission.Permissions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The tools of an agent in the forms in which other products have them. */
class AgentToolFormsTest {

  private static final List<String> TOOLS =
      List.of("read", "list", "grep", "write", "edit", "bash", "webfetch");

  @TempDir Path temporary;

  /** In the rows, {@code |} is the end of a line. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '`',
      value = {
        "color: red ~ read list grep write edit bash webfetch",
        "tools: * ~ read list grep write edit bash webfetch",
        "tools: '*' ~ read list grep write edit bash webfetch",
        "tools: [*] ~ read list grep write edit bash webfetch",
        "tools: all ~ read list grep write edit bash webfetch",
        "tools: All ~ read list grep write edit bash webfetch",
        "tools: [] ~ ''",
        "tools: none ~ ''",
        "tools: Read, Grep ~ read grep",
        "tools: Read,Grep, ~ read grep",
        "tools: \"Read, Grep\" ~ read grep",
        "tools: \"Read\", \"Grep\" ~ read grep",
        "tools: ['Read', \"Grep\"] ~ read grep",
        "tools:|- Read|- Grep ~ read grep",
        "tools:|→- Read|→- Grep ~ read grep",
        "tools:|  Read,|  Grep ~ read grep",
        "tools: Read,|  Grep ~ read grep",
        "tools: Read, Grep # no more ~ read grep",
        "Tools: Read ~ read",
        "TOOLS: Read ~ read",
        "tools:Read ~ read",
        "tools: Read, WebSearch, mcp__x__y, Task, TodoWrite, NotebookEdit ~ read",
        "tools: Read, Bash(git:*) ~ read bash",
        "tools: Read, Bash(npm run: *) ~ read bash",
        "tools: [Read, *] ~ read list grep write edit bash webfetch",
        "disallowedTools: Write, Edit ~ read list grep bash webfetch",
        "Disallowed Tools: * ~ ''",
        "tools: {write: false, edit: false} ~ read list grep bash webfetch",
        "tools:|  write: false ~ read list grep bash webfetch",
        "tools:|  edit: false|  write: true ~ read list grep write bash webfetch",
        "tools:|  write: false|  edit: true ~ read list grep edit bash webfetch",
        "tools:|  \"*\": false|  read: true ~ read",
        "tools:|  bash: false|  \"*\": true ~ read list grep write edit webfetch",
        "tools:|  read: true|  bash: true ~ read list grep write edit bash webfetch",
        "permission: deny ~ ''",
        "permission: ask ~ ''",
        "permission: allow ~ read list grep write edit bash webfetch",
        "permission: {edit: deny, bash: ask} ~ read list grep webfetch",
        "permission:|  \"*\": deny|  read: allow|  edit: allow ~ read write edit",
        "permission:|  write: deny|  edit: allow ~ read list grep edit bash webfetch",
        "permission:|  webfetch: deny|  \"*\": allow ~ read list grep write edit bash",
        "permission:|  edit:|    \"*\": deny ~ read list grep bash webfetch",
        "tools:|  write: false|permission:|  bash: deny ~ read list grep webfetch",
      })
  void agentHasTheToolsThatItsFileMeans(String lines, String tools) throws IOException {
    var child = folder(lines).read().catalog().find("tester").orElseThrow();

    assertThat(child.asChildOf(Permissions.ALL))
        .satisfies(permissions ->
            assertThat(TOOLS.stream().filter(permissions::mayEverAllow))
                .containsExactlyElementsOf(
                    Stream.of(tools.split(" ")).filter(tool -> !tool.equals("''")).toList()));
  }

  @Test
  void patternsOfATool() throws IOException {
    var child =
        folder("permission:|  bash:|    \"*\": deny|    \"git diff *\": allow|    git push: ask")
            .read()
            .catalog()
            .find("tester")
            .orElseThrow()
            .asChildOf(Permissions.ALL);

    assertThat(child.allow("bash", "git diff HEAD")).isTrue();
    assertThat(child.allow("bash", "git push")).isFalse();
    assertThat(child.allow("bash", "rm -rf .")).isFalse();
    assertThat(child.allow("read", "a.txt")).isTrue();
  }

  /** It is never loaded with all tools. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "tools:",
        "tools: ''",
        "tools: ~",
        "tools: {}",
        "tools: 7",
        "tools: true",
        "tools: [read",
        "tools: Read Grep",
        "tools: Read; Grep",
        "tools: @everything",
        "tools:|  - read: true",
        "tools:|  read: sometimes",
        "tools:|  read:|    - true",
        "tools:|- Read|  - Grep: x|   y",
        "tools: [[Read]]",
        "tools: &a [*a]",
        "tools: Read|Tools: Grep",
        "tools: Read|\"tools\": Write",
        "disallowedTools:",
        "disallowedTools: {Bash: true}",
        "disallowedTools: [7]",
        "permission:",
        "permission: readonly",
        "permission: [edit]",
        "permission: {}",
        "permission:|  edit: maybe",
        "permission:|  bash: {\"*\": 1}",
        "permission:|  bash:|   \"*\": deny|  \"git: allow",
        "permissions: {permission: edit, action: deny}",
        "permission: {edit: deny}|permissions: []",
        "hooks:|  PreToolUse:|    - matcher: [",
        "hooks: *",
        "mcpServers:|  - own: {command",
        "subagents:",
        "permissionMode: plan",
        "allowedTools: Read",
      })
  void fileWhoseRightsCannotBeReadIsBroken(String lines) throws IOException {
    var folder = folder(lines);

    assertThat(folder.problems()).singleElement().asString().matches("tester.md:\\d+: .*");
    assertThat(folder.read().catalog().find("tester")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '`',
      value = {
        "tools: Read, WebSearch ~ there is no tool 'WebSearch'",
        "tools: Read, NotebookEdit ~ there is no tool 'NotebookEdit'",
        "permission:|  external_directory: deny ~ there is no tool 'external_directory'",
        "permission:|  bash: ask ~ 'permission.bash: ask' denies",
        "Colour: red ~ unknown key 'Colour'",
      })
  void whatDoesNotExistHereIsAWarning(String lines, String warning) throws IOException {
    assertThat(folder(lines).warnings()).singleElement().asString().contains(warning);
  }

  private AgentFileFolder folder(String lines) throws IOException {
    var folder = new AgentFileFolder(temporary);
    folder.write("tester.md", HEAD + lines.replace('|', '\n').replace('→', '\t') + "\n" + BODY);
    return folder;
  }
}
