package dev.errand.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AgentHooksTest {

  @TempDir Path temporary;

  @Test
  void hooksOfClaudeCodeAreRead() throws IOException {
    var hooks =
        read(
            """
            hooks:
              PreToolUse:
                - matcher: "Write|mcp__db__.*"
                  hooks:
                    - type: command
                      command: /opt/check.sh --strict
                      timeout: 5
              SubagentStop:
                - hooks:
                    - {type: command, command: "logger done"}
                - matcher: "*"
                  hooks: []
            """);

    assertThat(hooks)
        .containsExactly(
            new AgentHook(
                "tester:PreToolUse:08ad1fbe",
                "tester",
                AgentHook.HookedEvent.PRE_TOOL_USE,
                List.of("Write", "mcp__db__*"),
                "/opt/check.sh --strict",
                Duration.ofSeconds(5)),
            new AgentHook(
                "tester:SubagentStop:1fb58dc8",
                "tester",
                AgentHook.HookedEvent.SUBAGENT_STOP,
                List.of(),
                "logger done",
                Duration.ofSeconds(60)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '`',
      value = {
        "hooks: on ~ 4 ~ 'hooks' must be lines",
        "hooks: {Stop: []} ~ 4 ~ 'hooks.Stop' is not supported; supported: PreToolUse",
        "hooks: {PreToolUse: [{hooks: [{type: prompt, prompt: x}]}]} ~ 4 ~ not of the type 'command'",
        "hooks: {PreToolUse: [{hooks: [{command: x}]}]} ~ 4 ~ not of the type 'command'",
        "hooks: {PreToolUse: [{hooks: [{type: command}]}]} ~ 4 ~ has a hook without 'command'",
        "hooks: {PreToolUse: [{matcher: Bash}]} ~ 4 ~ has an entry without 'hooks'",
        "hooks: {PreToolUse: [{matcher: '^B', hooks: []}]} ~ 4 ~ 'hooks.PreToolUse.matcher' must be names",
        "hooks: {PreToolUse: [{hooks: [{type: command, command: x, async: true}]}]} ~ 4 ~ 'hooks.PreToolUse.async' is not supported",
        "hooks: {PreToolUse: [], PreToolUse: []} ~ 4 ~ 'hooks' has 'PreToolUse' twice",
        "hooks: {PreToolUse: [{hooks: [], hooks: []}]} ~ 4 ~ 'hooks.PreToolUse' has 'hooks' twice",
        "hooks: {PreToolUse: [{hooks: [{type: command, command: x, command: y}]}]} ~ 4 ~ has 'command' twice",
        "hooks: {PreToolUse: [{hooks: [{type: command, command: x, timeout: 0}]}]} ~ 4 ~ must be a whole number of seconds",
        "hooks: {PreToolUse: [{hooks: [{type: command, command: $CLAUDE_PROJECT_DIR/x}]}]} ~ 4 ~ uses CLAUDE_PROJECT_DIR"
      })
  void whatWouldNotProtectIsRefused(String lines, int line, String problem) throws IOException {
    assertThat(problem(lines + "\n")).startsWith("tester.md:" + line + ": ").contains(problem);
  }

  @Test
  void scriptThatAgentsCouldChangeIsRefused() throws IOException {
    var work = Files.createDirectory(temporary.resolve("work"));
    var script = Files.writeString(work.resolve("check.sh"), "");
    var hook = "hooks: {PreToolUse: [{hooks: [{type: command, command: \"cat | '%s'\"}]}]}\n";

    assertThat(problem(hook.formatted(script))).contains("uses " + script, "where agents may work");
    Files.move(script, temporary.resolve("check.sh"));
    assertThat(read(hook.formatted(temporary.resolve("check.sh")))).hasSize(1);
  }

  /** Events that wait in the queue name their hook. */
  @Test
  void namesDoNotDependOnThePlaceInTheFile() throws IOException {
    var audit = "- hooks: [{type: command, command: audit}]\n";
    var tell = "- hooks: [{type: command, command: tell, timeout: %d}]\n";
    var guard = "  PreToolUse: [{hooks: [{type: command, command: audit}]}]\n";

    var before = names("hooks:\n  SubagentStop:\n  " + audit + "  " + tell.formatted(5));
    var after =
        names(
            "hooks:\n"
                + guard
                + "  SubagentStop:\n  "
                + tell.formatted(6)
                + ("  " + audit).repeat(2));

    assertThat(before).hasSize(2).doesNotHaveDuplicates();
    assertThat(after)
        .satisfiesExactly(
            name -> assertThat(name).startsWith("tester:PreToolUse:"),
            name -> assertThat(name).isEqualTo(before.getLast()),
            name -> assertThat(name).isEqualTo(before.getFirst()),
            name -> assertThat(name).isEqualTo(before.getFirst() + ":2"));
  }

  private List<String> names(String lines) throws IOException {
    return read(lines).stream().map(AgentHook::name).toList();
  }

  @Test
  void matcherThatNamesNoToolIsAWarning() throws IOException {
    var hook = "{matcher: %s, hooks: [{type: command, command: x}]}";
    var found =
        found(
            """
            hooks:
              PreToolUse: [%s]
              SubagentStop: [%s]
            """
                .formatted(
                    hook.formatted("'bash|LS|Agent|Shell|Sh.*|mcp__db__query'"),
                    hook.formatted("explorer")));

    assertThat(found.diagnostics().warnings())
        .containsExactly(
            "tester.md:5: 'hooks' names the tool 'Shell', and there is no such tool at the moment");
  }

  private String problem(String lines) throws IOException {
    return found(lines).diagnostics().problems().getFirst().sentence();
  }

  private List<AgentHook> read(String lines) throws IOException {
    return found(lines).hooks();
  }

  private AgentFiles.LoadedAgents found(String lines) throws IOException {
    new AgentFileFolder(temporary)
        .write("tester.md", AgentFileFolder.HEAD + lines + AgentFileFolder.BODY);
    return PlainAgents.withHooks(temporary).read("default", AgentFiles.LoadedAgents.NOTHING);
  }
}
