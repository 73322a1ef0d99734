package dev.errand.tool.shell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.tool.ToolOutcome;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** However a command ends, no process that it started survives. */
class BashTreeTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path workspace;

  /**
   * Ways to start {@code sleep %s} that survive an ordinary kill; they print when it is running.
   */
  static Stream<String> escapes() {
    return Stream.of(
        "sleep %s",
        "setsid sleep %s & wait",
        "(setsid sh -c 'sleep %s & sleep 300' &) & sleep 300",
        "trap '' TERM INT HUP; nohup sleep %s & sleep 300");
  }

  static Stream<Arguments> escapesInBothModes() {
    return Stream.of("enabled", "unsandboxed")
        .flatMap(mode -> escapes().map(escape -> Arguments.of(mode, escape)));
  }

  @ParameterizedTest
  @MethodSource("escapesInBothModes")
  void timeOutKillsTheProcessTree(String mode, String escape) {
    var token = ShellKit.longSleep();
    var kit = new ShellKit(workspace, mode);
    var timeout = 700;

    var result = kit.bash("echo up; " + escape.formatted(token), "timeout_ms", timeout);
    while (!result.text().startsWith("up") && timeout < 60_000) {
      timeout *= 2; // On a busy machine the shell takes so long to start.
      result = kit.bash("echo up; " + escape.formatted(token), "timeout_ms", timeout);
    }

    assertThat(result)
        .isEqualTo(ToolOutcome.error("up\n(timed out after %d ms; killed)".formatted(timeout)));
    assertGone(token);
  }

  @ParameterizedTest
  @MethodSource("escapesInBothModes")
  void cancellationKillsTheProcessTree(String mode, String escape) throws Exception {
    var token = ShellKit.longSleep();
    var kit = new ShellKit(workspace, mode);
    var result = new CompletableFuture<ToolOutcome>();
    var tools = kit.toolBox();
    var caller =
        Thread.startVirtualThread(() -> result.complete(kit.call(tools, escape.formatted(token))));
    await().atMost(PATIENCE).until(() -> ShellKit.sleeping(token) > 0);

    caller.interrupt();

    assertThat(((ToolOutcome.Done) result.get(60, TimeUnit.SECONDS)).text())
        .contains("interrupted");
    assertGone(token);
  }

  @ParameterizedTest
  @ValueSource(strings = {"enabled", "unsandboxed"})
  void backgroundProcessesAreKilledAndDoNotDelayTheCall(String mode) {
    var token = ShellKit.longSleep();

    var result =
        new ShellKit(workspace, mode)
            .bash(
                "sleep %1$s & setsid sleep %1$s & (setsid sleep %1$s &); echo done"
                    .formatted(token));

    assertThat(result).isEqualTo(ToolOutcome.ok("done\n(exit code 0)"));
    assertGone(token);
  }

  @ParameterizedTest
  @ValueSource(strings = {"enabled", "unsandboxed"})
  void deathOfTheServiceKillsTheProcessTrees(String mode) throws Exception {
    var commands = new HashMap<String, String>();
    escapes()
        .forEach(escape -> {
          var token = ShellKit.longSleep();
          commands.put(token, escape.formatted(token));
        });
    var service = ServiceStandIn.start(workspace, mode, List.copyOf(commands.values()));
    for (var token : commands.keySet()) {
      await(commands.get(token)).atMost(PATIENCE).until(() -> ShellKit.sleeping(token) > 0);
    }

    service.destroyForcibly().waitFor();

    commands.keySet().forEach(BashTreeTest::assertGone);
  }

  @Test
  void commandOfAStoppedServiceEndsAfterItsTimeOut() throws Exception {
    var timeout = 1_000;
    while (!endsWithoutItsService(timeout)) {
      assertThat(timeout).isLessThan(30_000);
      timeout *= 2; // On a busy machine it is over before the service is stopped.
    }
  }

  /** Stops the service of a command; returns false if the command had ended before. */
  private boolean endsWithoutItsService(int timeout) throws Exception {
    var token = ShellKit.longSleep();
    var service = ServiceStandIn.startBriefly(workspace, "enabled", timeout, "sleep " + token);
    try {
      await()
          .atMost(PATIENCE)
          .pollInterval(Duration.ofMillis(20))
          .until(() -> ShellKit.sleeping(token) > 0 || !service.isAlive());
      signal("STOP", service);
      if (ShellKit.sleeping(token) == 0) {
        return false;
      }
      await().atMost(PATIENCE).until(() -> ShellKit.sleeping(token) == 0);
      assertThat(service.isAlive()).isTrue();
      return true;
    } finally {
      service.destroyForcibly().waitFor();
    }
  }

  private static void signal(String name, Process process) throws Exception {
    new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
  }

  private static void assertGone(String token) {
    await("sleep " + token + " is gone")
        .atMost(PATIENCE)
        .until(() -> ShellKit.sleeping(token) == 0);
  }
}
