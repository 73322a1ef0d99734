package dev.errand.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * Nothing lost, nothing twice (R12): {@code make chaos SECONDS=… SEED=…} runs it longer or with
 * another plan.
 */
class ChaosIT {

  private static final Path JAR =
      Path.of(System.getProperty("errand.jar", "target/quarkus-app/quarkus-run.jar"));

  @Test
  void nothingIsLostAndNothingIsDoneTwiceWhateverIsInterrupted() throws Exception {
    var seconds = Integer.getInteger("chaos.seconds", 60);
    var seed = Long.getLong("chaos.seed", 1L);
    var home = Files.createTempDirectory(Path.of("target").toAbsolutePath(), "chaos-");

    var report =
        new Chaos(home, JAR.toAbsolutePath(), Scenarios.all(), Duration.ofSeconds(seconds), seed)
            .run();

    System.out.println(report.table());
    assertThat(report.failures()).isEmpty();
    assertThat(report.interruptions()).isPositive();
  }
}
