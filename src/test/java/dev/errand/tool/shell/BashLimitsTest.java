package dev.errand.tool.shell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.tool.ToolOutcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A command that exceeds a limit is killed, and the service continues. */
class BashLimitsTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path workspace;

  @Test
  void forkBombIsKilledBeforeItsTimeOut() {
    var token = ShellKit.longSleep();

    var result =
        new ShellKit(workspace, "enabled")
            .bash("bomb() { sleep %s & bomb | bomb & }; bomb; sleep 60".formatted(token));

    assertThat(result.isError()).isTrue();
    assertThat(result.text()).endsWith("(more than 800 processes at once; killed)");
    await().atMost(PATIENCE).until(() -> ShellKit.sleeping(token) == 0);
  }

  @Test
  void memoryOfOneProcessIsLimited() {
    var result =
        new ShellKit(workspace, "enabled")
            .with("bash-memory", "200M")
            .bash("head -c 1G /dev/zero | tail -c 600M | wc -c");

    assertThat(result.text()).doesNotContain("629145600");
  }

  @Test
  void memoryOfAllProcessesTogetherIsLimited() {
    var hog = "{ sleep 1; head -c 150M /dev/zero; sleep 60; } | tail -c 150M & ";
    var result =
        new ShellKit(workspace, "enabled").with("bash-memory", "300M").bash(hog.repeat(4) + "wait");

    assertThat(result.text()).endsWith("(more than 300 MB of memory; killed)");
  }

  @Test
  void commandsOfAllSessionsShareTheMemoryOfTheNode() throws Exception {
    var tools = new ShellKit(workspace, "enabled").with("bash-total-memory", "300M").toolBox();
    var kit = new ShellKit(workspace, "enabled");
    var hog =
        "{ head -c %dM /dev/zero; touch full; until [ -e over ]; do sleep 0.05; done; }"
            + " | tail -c %1$dM > /dev/null; echo done";

    var small = inBackground(() -> kit.call(tools, hog.formatted(120)));
    await().atMost(PATIENCE).until(() -> workspace.resolve("full").toFile().exists());
    var large = inBackground(() -> kit.call(tools, hog.formatted(250)));

    assertThat(((ToolOutcome.Done) large.get(60, TimeUnit.SECONDS)).text())
        .contains("together use more than 300 MB of memory");
    Files.createFile(workspace.resolve("over"));
    assertThat(small.get(60, TimeUnit.SECONDS)).isEqualTo(ToolOutcome.ok("done\n(exit code 0)"));
  }

  @Test
  void commandWaitsForAnotherOneAndSaysSo() throws Exception {
    var progress = new LinkedBlockingQueue<String>();
    var kit = new ShellKit(workspace, "enabled").with("bash-concurrency", "1").with(progress::add);
    var tools = kit.toolBox();
    var first =
        inBackground(() -> kit.call(tools, "touch begun; until [ -e go ]; do sleep 0.05; done"));
    await().atMost(PATIENCE).until(() -> workspace.resolve("begun").toFile().exists());

    var second = inBackground(() -> kit.call(tools, "echo second"));
    await()
        .atMost(PATIENCE)
        .until(() -> progress.stream().anyMatch(text -> text.contains("waiting")));
    var third = kit.call(tools, "echo third", "timeout_ms", 100);

    assertThat(third)
        .isEqualTo(
            ToolOutcome.error(
                "The command could not be started: 1 other commands are running, and none of them"
                    + " ended within 100 ms; try again later"));
    assertThat(second).isNotDone();
    Files.createFile(workspace.resolve("go"));
    assertThat(first.get(60, TimeUnit.SECONDS))
        .isEqualTo(ToolOutcome.ok("(no output)\n(exit code 0)"));
    assertThat(second.get(60, TimeUnit.SECONDS)).isEqualTo(ToolOutcome.ok("second\n(exit code 0)"));
  }

  private static CompletableFuture<ToolOutcome> inBackground(Supplier<ToolOutcome> call) {
    return CompletableFuture.supplyAsync(call, Thread::startVirtualThread);
  }

  @Test
  void sizesOfFilesAndOfTemporaryDirectoriesAreLimited() {
    var kit = new ShellKit(workspace, "enabled");

    assertThat(kit.bash("truncate -s 1025M big").isError()).isTrue();
    assertThat(kit.bash("head -c 600M /dev/zero > /tmp/big").text()).contains("No space left");
    assertThat(kit.bash("head -c 100M /dev/zero > /dev/shm/big").text()).contains("No space left");
    assertThat(workspace.resolve("big").toFile().length()).isZero();
  }

  @Test
  void commandsHaveALowPriority() {
    assertThat(new ShellKit(workspace, "enabled").bash("nice").text()).startsWith("10\n");
  }
}
