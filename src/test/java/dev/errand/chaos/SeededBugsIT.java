package dev.errand.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.kit.ServiceCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests the harness: it must detect each of these bugs. Run by {@code make chaos-bugs}, because it
 * takes some minutes.
 */
@EnabledIfSystemProperty(named = "chaos.bugs", matches = ".+")
class SeededBugsIT {

  private static final Duration REST_LIMIT = Duration.ofSeconds(30);

  /** A scenario is repeated for this time, because not each interruption meets the bug. */
  private static final Duration TIME = Duration.ofSeconds(60);

  static List<SeededBug> bugs() {
    var wanted = System.getProperty("chaos.bugs", "all");
    return SeededBug.ALL.stream()
        .filter(bug -> wanted.equals("all") || bug.name().startsWith(wanted))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("bugs")
  void harnessDetectsTheBug(SeededBug bug) throws Exception {
    var home = Files.createTempDirectory(Path.of("target").toAbsolutePath(), "chaos-");
    var jar = bug.install(ServiceCommand.jar(), home.resolve("service"));
    var plan = new Chaos.Plan(Scenarios.named(bug.scenario()), TIME, 1L, REST_LIMIT);

    var report =
        new Chaos(home, new Chaos.Subject(jar, bug.settings()), plan)
            .run(cluster -> bug.prepare(cluster.jdbi()));

    System.out.println(bug.name() + ", detected by:");
    report.failures().stream().limit(5).forEach(line -> System.out.println("  " + line));
    assertThat(report.failures()).isNotEmpty();
  }
}
