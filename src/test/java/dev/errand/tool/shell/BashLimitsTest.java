package dev.errand.tool.shell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A command that exceeds a limit is killed, and the service continues. */
class BashLimitsTest {

  @TempDir Path workspace;

  @Test
  void forkBombIsKilledBeforeItsTimeOut() {
    var token = ShellKit.longSleep();
    var begin = System.nanoTime();

    var result =
        new ShellKit(workspace, "enabled")
            .bash("bomb() { sleep %s & bomb | bomb & }; bomb; sleep 60".formatted(token));

    assertThat(result.isError()).isTrue();
    assertThat(result.text()).endsWith("(more than 800 processes at once; killed)");
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(30));
    await().until(() -> ShellKit.sleeping(token) == 0);
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
