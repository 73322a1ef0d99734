package dev.errand.tool.shell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.errand.permission.Permissions;
import dev.errand.permission.Rule;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolFailure;
import dev.errand.tool.ToolOutcome;
import dev.errand.tool.ToolUser;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Services in which no shell runs. */
class BashOffTest {

  @TempDir Path workspace;

  /** A command that the service executes. */
  private record Greeting() implements ShellCommand {

    @Override
    public boolean handles(String command) {
      return command.startsWith("greet:");
    }

    @Override
    public ToolOutcome run(String command, ToolContext context) {
      if (Thread.currentThread().isInterrupted()) {
        throw new ToolFailure("interrupted");
      }
      return command.equals("greet:later")
          ? new ToolOutcome.Deferred()
          : ToolOutcome.ok("hello from " + context.toolCallId());
    }
  }

  @Test
  void disabledToolIsNotOfferedAndACallSaysHowToEnableIt() {
    var kit = new ShellKit(workspace, ShellKit.config(Map.of()).bash().name());

    assertThat(kit.toolBox().offered(Permissions.ALL)).isEmpty();
    assertThat(kit.bash("touch made").isError()).isTrue();
    assertThat(kit.bash("touch made").text()).contains("errand.tools.bash=enabled");
    assertThat(workspace.resolve("made")).doesNotExist();
  }

  @Test
  void withoutASandboxNothingRuns() {
    var kit = new ShellKit(workspace, "enabled").with("bash-bubblewrap", "/no/such/bwrap");

    assertThat(kit.toolBox().offered(Permissions.ALL)).isEmpty();
    assertThat(kit.bash("touch made").text()).contains("bubblewrap does not work here");
    assertThat(workspace.resolve("made")).doesNotExist();
  }

  @Test
  void incompleteSandboxIsNotUsed() {
    var kit = new ShellKit(workspace, "enabled").with("bash-read-only-paths", "/no/such/folder");

    assertThat(kit.bash("touch made").text()).contains("not available");
    assertThat(workspace.resolve("made")).doesNotExist();
  }

  @Test
  void withoutASandboxASessionThatMayNotChangeFilesHasNoShell() {
    var kit = new ShellKit(workspace, "unsandboxed");
    var reader = Permissions.ALL.narrowedBy(List.of(Rule.deny("write"), Rule.deny("edit")));

    assertThat(kit.toolBox().names(Permissions.ALL, ToolUser.NOBODY)).containsExactly("bash");
    assertThat(kit.toolBox().names(reader, ToolUser.NOBODY)).isEmpty();
    assertThat(kit.bash(reader, "touch made").text()).contains("without a sandbox");
    assertThat(workspace.resolve("made")).doesNotExist();
  }

  @Test
  void withASandboxASessionThatMayNotChangeFilesIsToldSo() {
    var tools = new ShellKit(workspace, "enabled").toolBox();
    var reader = Permissions.ALL.narrowedBy(List.of(Rule.deny("write"), Rule.deny("edit")));

    assertThat(tools.offered(reader))
        .singleElement()
        .satisfies(bash -> assertThat(bash.description()).contains("the workspace is read-only"));
    assertThat(tools.offered(Permissions.ALL).getFirst().description()).doesNotContain("read-only");
  }

  @Test
  void withASandboxTheToolIsOffered() {
    var tools = new ShellKit(workspace, "enabled").toolBox();

    assertThat(tools.offered(Permissions.ALL))
        .singleElement()
        .satisfies(bash -> assertThat(bash.description()).contains("The network is not available"));
  }

  @ParameterizedTest
  @CsvSource({"disabled", "enabled", "unsandboxed"})
  void commandsOfTheServiceNeedNoShell(String mode) {
    var kit =
        new ShellKit(workspace, mode)
            .with(new Greeting())
            .with("bash-bubblewrap", "/no/such/bwrap");

    assertThat(kit.bash("greet: you")).isEqualTo(ToolOutcome.ok("hello from call_1"));
    assertThat(kit.call(kit.toolBox(), "greet:later")).isEqualTo(new ToolOutcome.Deferred());
  }

  @Test
  void commandsOfTheServiceAreNotInterrupted() {
    var kit = new ShellKit(workspace, "disabled").with(new Greeting());
    var tools = kit.toolBox();

    Thread.currentThread().interrupt();
    var outcome = kit.call(tools, "greet: you");

    assertThat(Thread.interrupted()).isTrue();
    assertThat(outcome).isEqualTo(ToolOutcome.ok("hello from call_1"));
  }

  @ParameterizedTest
  @CsvSource({
    "bash, sometimes",
    "bash-timeout, 0s",
    "bash-max-timeout, soon",
    "bash-output-chars, 10",
    "bash-memory, much"
  })
  void invalidValueStopsTheStart(String key, String value) {
    var nonsense = Map.of("errand.tools." + key, value);

    assertThatThrownBy(() -> ShellKit.config(nonsense)).hasMessageContaining(key);
  }

  @Test
  void timeOutAboveTheMaximumStopsTheStart() {
    assertThatThrownBy(
            () -> new ShellKit(workspace, "disabled").with("bash-timeout", "1h").toolBox())
        .hasMessageContaining("bash-max-timeout");
  }
}
