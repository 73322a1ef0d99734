package dev.errand.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.kit.ServiceCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A harness that has never found anything proves nothing: each of these bugs must be caught. Run by
 * {@code make chaos-bugs}, for it takes some minutes.
 */
@EnabledIfSystemProperty(named = "chaos.bugs", matches = ".+")
class SeededBugsIT {

  private static final Duration REST_LIMIT = Duration.ofSeconds(30);

  /** Two jobs of one session go to two nodes; within one node a second run ends the first. */
  private static final Map<String, String> FEW_WORKERS = Map.of("ERRAND_MAX_CONCURRENT_RUNS", "2");

  static List<SeededBug> bugs() {
    var wanted = System.getProperty("chaos.bugs", "all");
    return SeededBug.ALL.stream()
        .filter(bug -> wanted.equals("all") || bug.name().startsWith(wanted))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("bugs")
  void bugIsCaught(SeededBug bug) throws Exception {
    var home = Files.createTempDirectory(Path.of("target").toAbsolutePath(), "chaos-");
    var jar = bug.install(ServiceCommand.jar(), home.resolve("service"));
    var plan = new Chaos.Plan(Scenarios.named(bug.scenario()), Duration.ZERO, 1L, REST_LIMIT);

    var report =
        new Chaos(home, new Chaos.Subject(jar, FEW_WORKERS), plan)
            .run(cluster -> bug.prepare(cluster.jdbi()));

    System.out.println(bug.name() + ", caught by:");
    report.failures().stream().limit(5).forEach(line -> System.out.println("  " + line));
    assertThat(report.failures()).isNotEmpty();
  }
}
