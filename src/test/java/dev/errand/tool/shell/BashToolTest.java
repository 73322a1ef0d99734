package dev.errand.tool.shell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.conversation.Content;
import dev.errand.permission.Permissions;
import dev.errand.permission.Rule;
import dev.errand.tool.ToolOutcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The behaviour of commands with and without a sandbox. */
class BashToolTest {

  @TempDir Path workspace;

  @ParameterizedTest
  @ValueSource(strings = {"enabled", "unsandboxed"})
  void commandRunsInTheWorkspaceAndItsExitCodeEndsTheResult(String mode) throws IOException {
    var result = new ShellKit(workspace, mode).bash("pwd; echo more >&2; echo kept > note.txt");

    assertThat(result).isEqualTo(ToolOutcome.ok(workspace + "\nmore\n(exit code 0)"));
    assertThat(workspace.resolve("note.txt")).hasContent("kept");
  }

  @ParameterizedTest
  @ValueSource(strings = {"enabled", "unsandboxed"})
  void nonZeroExitCodeIsAnError(String mode) {
    var kit = new ShellKit(workspace, mode);

    assertThat(kit.bash("printf oops; exit 3")).isEqualTo(ToolOutcome.error("oops\n(exit code 3)"));
    assertThat(kit.bash("kill -9 $$")).isEqualTo(ToolOutcome.error("(no output)\n(exit code 137)"));
    assertThat(kit.bash("no-such-program").text())
        .contains("not found")
        .endsWith("(exit code 127)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"enabled", "unsandboxed"})
  void standardInputIsEmpty(String mode) {
    assertThat(new ShellKit(workspace, mode).bash("cat; echo done"))
        .isEqualTo(ToolOutcome.ok("done\n(exit code 0)"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"enabled", "unsandboxed"})
  void quotesLinesAndLettersReachTheShellUnchanged(String mode) {
    var command =
        """
        # nothing is quoted twice: $1 '"`\\
        printf '%s|' "a  b" 'ü – 漢字 😀' "$0" $'\\t'; cat <<X
        line
        X
        """;

    assertThat(new ShellKit(workspace, mode).bash(command))
        .isEqualTo(ToolOutcome.ok("a  b|ü – 漢字 😀|/bin/bash|\t|line\n(exit code 0)"));
  }

  @Test
  void commandsThatNoShellAcceptsAreRefused() {
    var kit = new ShellKit(workspace, "enabled");

    assertThat(kit.bash("echo " + "x".repeat(100_000)).text()).startsWith("command: must have");
    assertThat(kit.bash("echo \0").text()).startsWith("command: must have");
  }

  @Test
  void outputIsReportedWhileTheCommandRuns() {
    var heard = new ArrayList<String>();
    var kit =
        new ShellKit(workspace, "enabled")
            .with(output -> {
              heard.add(output);
              if (output.contains("first")) {
                var ignored = workspace.resolve("go").toFile().mkdir();
              }
            });

    var result = kit.bash("echo first; until [ -e go ]; do sleep 0.05; done; echo last");

    assertThat(heard).contains("first\n");
    assertThat(result).isEqualTo(ToolOutcome.ok("first\nlast\n(exit code 0)"));
  }

  @Test
  void timeOutsAreLimitedAndHaveTwoNames() {
    var kit = new ShellKit(workspace, "enabled").with("bash-max-timeout", "200s");

    assertThat(kit.bash("true", "timeout", 200_000).isError()).isFalse();
    assertThat(kit.bash("true", "timeout_ms", 200_001).text())
        .contains("timeout_ms: must be at most 200000");
  }

  @Test
  void rulesMatchCommands() {
    var kit = new ShellKit(workspace, "enabled");
    var onlyEcho =
        Permissions.ALL.narrowedBy(
            List.of(Rule.deny("bash"), new Rule("bash", "echo *", Rule.Action.ALLOW)));

    assertThat(onlyEcho.allow("bash", "echo hello")).isTrue();
    assertThat(
            kit.toolBox()
                .call(
                    new Content.ToolCall("1", "bash", ShellKit.arguments("rm -rf .")),
                    kit.context(),
                    onlyEcho))
        .isEqualTo(
            ToolOutcome.error(
                "Permission denied: this session may not use bash on rm -rf .: denied by the"
                    + " permissions that it was created with (rule: deny bash on *)."));
  }

  @Test
  void outputIsCutInTheMiddle() {
    var kit = new ShellKit(workspace, "enabled").with("bash-output-chars", "1000");

    var result = kit.bash("seq 1 100000");

    assertThat(result.text())
        .startsWith("1\n2\n3\n")
        .contains("characters left out) …")
        .endsWith("99999\n100000\n(exit code 0)")
        .hasSizeLessThan(1_100);
  }

  @Test
  void moreOutputThanFitsIntoTheMemoryNeitherFillsItNorBlocks() {
    var megabytes = (Runtime.getRuntime().maxMemory() >> 20) + 64;
    var result =
        new ShellKit(workspace, "enabled").bash("yes | head -c " + megabytes + "M; echo end");

    assertThat(result.text()).hasSizeLessThan(31_000).endsWith("end\n(exit code 0)");
    var leftOut = (megabytes << 20) - 30_000;
    assertThat(result.text()).contains("(" + Long.toString(leftOut).substring(0, 4));
  }

  @Test
  void bytesThatAreNotTextAreReplaced() {
    assertThat(new ShellKit(workspace, "enabled").bash("printf 'a\\377c'"))
        .isEqualTo(ToolOutcome.ok("a\uFFFDc\n(exit code 0)"));
  }

  @Test
  void workspaceMayBeALink() throws IOException {
    var folder = Files.createDirectory(workspace.resolve("real"));
    var link = Files.createSymbolicLink(workspace.resolve("link"), folder);

    assertThat(new ShellKit(link, "enabled").bash("echo x > made; pwd -P"))
        .isEqualTo(ToolOutcome.ok(folder + "\n(exit code 0)"));
    assertThat(folder.resolve("made")).hasContent("x");
  }
}
