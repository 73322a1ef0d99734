package dev.errand.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A harness that has never found anything proves nothing: each of these bugs must be caught. Run by
 * {@code make chaos-bugs}, for it takes some minutes.
 */
@EnabledIfSystemProperty(named = "chaos.bugs", matches = "true")
class SeededBugsIT {

  private static final Duration REST_LIMIT = Duration.ofSeconds(30);

  static List<SeededBug> bugs() {
    return SeededBug.ALL;
  }

  @ParameterizedTest
  @MethodSource("bugs")
  void bugIsCaught(SeededBug bug) throws Exception {
    var home = Files.createTempDirectory(Path.of("target").toAbsolutePath(), "chaos-");
    var jar = bug.install(ChaosIT.JAR.toAbsolutePath(), home.resolve("service"));
    var plan = new Chaos.Plan(Scenarios.named(bug.scenario()), Duration.ZERO, 1L, REST_LIMIT);

    var report = new Chaos(home, jar, plan).run(cluster -> bug.prepare(cluster.jdbi()));

    System.out.println(bug.name() + ", caught by:");
    report.failures().stream().limit(5).forEach(line -> System.out.println("  " + line));
    assertThat(report.failures()).isNotEmpty();
  }
}
