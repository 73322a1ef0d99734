package dev.errand.agent;

import static dev.errand.agent.AgentFileFolder.BODY;
import static dev.errand.agent.AgentFileFolder.HEAD;
import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.markdown.BrokenFile;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The line that a problem in a nested part names: that of the key, or of the entry of a list. */
class AgentFilePlacesTest {

  @TempDir Path temporary;

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '`',
      value = {
        "hooks:|  Stop:|    - hooks: [] ~ 5 ~ 'hooks.Stop' is not supported",
        "hooks:|  PreToolUse:|    - hooks: []|  Notification:|    - hooks: [] ~ 7 ~ 'hooks.Notification'",
        "hooks:|  - PreToolUse ~ 4 ~ 'hooks' must be lines",
        "hooks:|  PreToolUse:|    matcher: Bash ~ 5 ~ 'hooks.PreToolUse' must be a list",
        "hooks:|  PreToolUse:|    - matcher: Bash|    - matcher: Read|      hooks: [] ~ 6 ~ without 'hooks'",
        "hooks:|  PreToolUse:|    - matcher: Bash|      when:|        - always|      hooks: [] ~ 7 ~ 'hooks.PreToolUse.when'",
        "hooks:|  PreToolUse:|    - matcher:|        ^B|      hooks: [] ~ 6 ~ 'hooks.PreToolUse.matcher' must be names",
        "hooks:|  PreToolUse:|    - hooks:|        - type: prompt ~ 7 ~ not of the type 'command'",
        "hooks:|  PreToolUse:|    - hooks:|        - type: command|          command: x|          timeout:|            0 ~ 9 ~ whole number",
        "hooks:|  PreToolUse:|    - hooks:|        - type: command|          command: x|          env:|            A: b ~ 9 ~ 'hooks.PreToolUse.env'",
        "hooks:|  PreToolUse: []|  PreToolUse:|    - hooks: [] ~ 6 ~ has 'PreToolUse' twice",
        "# a comment||hooks:|  # another one|  Stop:|    - hooks: [] ~ 8 ~ 'hooks.Stop' is not supported",
        "mcpServers:|  - own:|      args:|        - a ~ 5 ~ needs either command or url",
        "mcpServers:|  - own:|      command: x|      colour:|        - red ~ 7 ~ 'mcpServers.own.colour' is unknown",
        "mcpServers:|  - own:|      command: x|      args:|        - a|        - 7 ~ 9 ~ 'mcpServers.own.args' must be a text",
        "mcpServers:|  - own:|      command: x|      env:|        A: b|        PORT: 80 ~ 9 ~ 'mcpServers.own.env.PORT' must",
        "mcpServers:|  - own:|      command: x|      env:|        - A ~ 7 ~ 'mcpServers.own.env' must be lines",
        "mcpServers:|  - own:|    - npx ~ 5 ~ 'mcpServers.own' must be lines",
        "mcpServers:|  - own:|      command: x|      timeout:|        5s ~ 7 ~ 'mcpServers.own.timeout'",
        "permissions:|  - permission: read|    action: deny|    path:|      a ~ 7 ~ 'path' is unknown",
        "permissions:|  - permission: read|    action: deny|  - permission:|      - write ~ 7 ~ must be a text",
        "permission:|  bash:|    git push: never ~ 6 ~ 'permission.bash.git push' must be true, false",
        "permission:|  edit: deny|  bash:|    - git ~ 6 ~ 'permission.bash' must be true, false",
        "tools:|  write: false|  bash: maybe ~ 6 ~ 'tools.bash' must be true, false",
        "tools:|  - Read|  - Grep Glob ~ 6 ~ 'Grep Glob' is not a tool",
        "tools:|  - Read|  -|  - Grep ~ 6 ~ must be a text",
        "maxTurns:|  many ~ 4 ~ 'maxTurns' must be a whole number",
        "model:|  - a ~ 4 ~ 'model' must be a text",
        "subagents:|  - explore|  - wizard ~ 6 ~ there is no agent 'wizard'",
      })
  void problemIsReportedAtItsOwnLine(String lines, int line, String problem) throws IOException {
    new AgentFileFolder(temporary)
        .write("tester.md", HEAD + lines.replace('|', '\n') + "\n" + BODY);

    var found = PlainAgents.withHooks(temporary).read("default", AgentFiles.LoadedAgents.NOTHING);

    assertThat(found.diagnostics().problems())
        .singleElement()
        .extracting(BrokenFile::sentence)
        .asString()
        .startsWith("tester.md:" + line + ": ")
        .contains(problem);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '`',
      value = {
        "tools:|  - Read|  - Teleport ~ 6",
        "skills:|  - pdf ~ 5",
        "mcpServers:|  - wiki ~ 5",
        "permission:|  read: allow|  bash:|    git push: ask ~ 7",
        "permission:|  task:|    explorer: deny ~ 6",
        "permissions:|  - permission: task|    pattern: explorer|    action: deny ~ 6",
        "hooks:|  PreToolUse:|    - matcher: Shell|      hooks: [] ~ 6",
        "flavour:|  - mint ~ 4",
        "model:|  gpt ~ 4",
      })
  void warningIsReportedAtItsOwnLine(String lines, int line) throws IOException {
    new AgentFileFolder(temporary)
        .write("tester.md", HEAD + lines.replace('|', '\n') + "\n" + BODY);

    var found = PlainAgents.withHooks(temporary).read("default", AgentFiles.LoadedAgents.NOTHING);

    assertThat(found.diagnostics().warnings())
        .singleElement()
        .asString()
        .startsWith("tester.md:" + line + ": ");
  }
}
