package dev.errand.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * No task is lost and nothing is executed twice. {@code make test} runs the short list of
 * scenarios; {@code make chaos SECONDS=… SEED=…} runs all scenarios for the given time in an order
 * drawn from the seed.
 */
class ChaosIT {

  private static final Duration REST_LIMIT = Duration.ofSeconds(180);
  private static final String SHORT =
      "kill-one,lost-commits,cuts,cancel-race,idle-race,jobs-twice,taken-for-dead,hints-dropped,db-restart-0";

  @Test
  void noTaskIsLostAndNothingIsExecutedTwice() throws Exception {
    var names = System.getProperty("chaos.scenarios", SHORT);
    var scenarios = names.equals("all") ? Scenarios.all() : Scenarios.named(names);
    var duration = Duration.ofSeconds(Integer.getInteger("chaos.seconds", 0));
    var seed = Long.getLong("chaos.seed", 1L);
    var home = Files.createTempDirectory(Path.of("target").toAbsolutePath(), "chaos-");

    var plan = new Chaos.Plan(scenarios, duration, seed, REST_LIMIT);
    var report =
        new Chaos(home, Chaos.Subject.packaged(), plan)
            .run(cluster -> RollingRestart.check(cluster, seed));

    System.out.println("seed " + seed + ", logs and data in " + home);
    System.out.println(report.table());
    assertThat(report.failures()).isEmpty();
  }
}
