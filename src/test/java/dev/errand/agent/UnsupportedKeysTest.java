package dev.errand.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UnsupportedKeysTest {

  @TempDir Path temporary;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "permissionMode: default",
        "permission-mode: bypassPermissions",
        "permissionMode:",
        "hooks: {}",
        "hooks:",
        "memory: project",
        "background: true",
        "effort: high",
        "color: red",
        "initialPrompt: Hello",
        "temperature: 0.2",
        "top_p: 0.9",
        "Tags: [a, b]",
        "version: 1.0.0",
        "readonly: false",
        "allowed-tools: []"
      })
  void keyThatDoesNotRestrictTheAgentHasNoEffect(String line) throws IOException {
    var folder = new AgentFileFolder(temporary);
    folder.tester(line);

    var found = folder.read();

    assertThat(found.diagnostics().warnings()).isEmpty();
    assertThat(found.diagnostics().infos())
        .containsExactly("tester.md:4: '%s' has no effect".formatted(line.split(":")[0]));
  }

  @ParameterizedTest
  @ValueSource(strings = {"acceptEdits", "auto"})
  void modeThatAsksTheUserIsAWarning(String mode) throws IOException {
    assertThat(new AgentFileFolder(temporary).warning("permissionMode: " + mode))
        .isEqualTo(
            "tester.md:4: 'permissionMode: %s' has no effect: the agent uses its tools and no user"
                    .formatted(mode)
                + " is asked; limit it with 'tools' or 'permissions'");
  }

  @ParameterizedTest
  @CsvSource({
    "permissionMode: plan, 'permissionMode: plan', in 'tools'",
    "permission_mode: dontAsk, 'permission_mode: dontAsk', in 'tools'",
    "permissionMode: [plan], 'permissionMode: ', in 'tools'",
    "'hooks: {PreToolUse: [{matcher: Bash}]}', 'hooks', use 'tools'",
    "hooks: none, 'hooks', use 'tools'",
    "allowed-tools: Read, 'allowed-tools', in 'tools'",
    "tool: Read, 'tool', in 'tools'",
    "toolsets: [a], 'toolsets', in 'tools'",
    "'Tool Permissions: {write: deny}', 'Tool Permissions', in 'tools'",
    "readonly: true, 'readonly', in 'tools'",
    "'<<: {tools: Read}', '<<', in 'tools'"
  })
  void fileIsRefusedIfItsAgentWouldGetMoreRights(String line, String key, String advice)
      throws IOException {
    assertThat(problem(line))
        .startsWith("tester.md:4: '" + key)
        .contains("is not supported", "remove the key", advice);
  }

  @Test
  void errorSaysWhatTheAgentWouldBeAbleToDo() throws IOException {
    assertThat(problem("permissionMode: plan"))
        .isEqualTo(
            "tester.md:4: 'permissionMode: plan' is not supported, and without it the agent would"
                + " have more rights; remove the key and list what the agent may use in 'tools'");
  }

  private String problem(String line) throws IOException {
    var folder = new AgentFileFolder(temporary);
    folder.write("tester.md", AgentFileFolder.HEAD + line + "\n" + AgentFileFolder.BODY);
    return folder.problems().getFirst();
  }
}
