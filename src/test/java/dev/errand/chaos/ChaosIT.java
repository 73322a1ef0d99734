package dev.errand.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * Nothing lost, nothing twice (R12): some minutes of it with every {@code make test}; {@code make
 * chaos SECONDS=… SEED=…} does all there is, as long as one likes and with another plan.
 */
class ChaosIT {

  static final Path JAR =
      Path.of(System.getProperty("errand.jar", "target/quarkus-app/quarkus-run.jar"));

  private static final Duration REST_LIMIT = Duration.ofSeconds(180);
  private static final String SHORT =
      "kill-one,lost-commits,cuts,cancel-race,idle-race,jobs-twice,taken-for-dead,sigterm,hints-dropped,db-restart-0";

  @Test
  void nothingIsLostAndNothingIsDoneTwiceWhateverIsInterrupted() throws Exception {
    var names = System.getProperty("chaos.scenarios", SHORT);
    var scenarios = names.equals("all") ? Scenarios.all() : Scenarios.named(names);
    var lasting = Duration.ofSeconds(Integer.getInteger("chaos.seconds", 0));
    var seed = Long.getLong("chaos.seed", 1L);
    var home = Files.createTempDirectory(Path.of("target").toAbsolutePath(), "chaos-");

    var plan = new Chaos.Plan(scenarios, lasting, seed, REST_LIMIT);
    var report = new Chaos(home, Chaos.Subject.asItIs(), plan).run();

    System.out.println("seed " + seed + ", all of it in " + home);
    System.out.println(report.table());
    assertThat(report.failures()).isEmpty();
    if (!names.equals("long-tool")) {
      assertThat(report.interruptions()).isPositive();
    }
  }
}
