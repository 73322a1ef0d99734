package dev.errand.arch;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static dev.errand.arch.MainClasses.MAIN;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which package may import which: an import only points down. */
class PackagesTest {

  /** From the top to the bottom; a package may import those below it. */
  private static final List<String> ROOMS =
      List.of(
          "api",
          "mcp",
          "console",
          "http",
          "ops",
          "view",
          "job",
          "run",
          "context",
          "delegate",
          "retention",
          "delivery",
          "task",
          "hook",
          "outbox",
          "session",
          "event",
          "agent",
          "worktree",
          "model",
          "tool",
          "pause",
          "auth",
          "tenant",
          "node",
          "postgres");

  /** Leaves import no other package of the project. */
  private static final List<String> LEAVES =
      List.of(
          "conversation",
          "permission",
          "egress",
          "trace",
          "time",
          "markdown",
          "postgres",
          "secret",
          "setting");

  /** What leaves may import, too. */
  private static final List<String> LOWEST = List.of("dev.errand.secret", "dev.errand.setting");

  @Test
  void importsPointDown() {
    for (var room : ROOMS) {
      var above =
          ROOMS.subList(0, ROOMS.indexOf(room)).stream()
              .map(PackagesTest::within)
              .toArray(String[]::new);
      if (above.length > 0) {
        noClasses()
            .that()
            .resideInAPackage(within(room))
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(above)
            .check(MAIN);
      }
    }
  }

  /** What doors share lies below them. */
  @Test
  void noDoorUsesAnother() {
    noClasses()
        .that()
        .resideInAPackage(within("api"))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(within("mcp"), within("console"))
        .check(MAIN);
    noClasses()
        .that()
        .resideInAPackage(within("mcp"))
        .should()
        .dependOnClassesThat()
        .resideInAPackage(within("console"))
        .check(MAIN);
  }

  @Test
  void nothingImportsTheDemo() {
    noClasses()
        .that()
        .resideOutsideOfPackage(within("demo"))
        .should()
        .dependOnClassesThat()
        .resideInAPackage(within("demo"))
        .check(MAIN);
  }

  @Test
  void modelToolAndSessionDoNotKnowEachOther() {
    var apart = List.of("model", "tool", "session");
    for (var one : apart) {
      for (var other : apart) {
        if (!one.equals(other)) {
          noClasses()
              .that()
              .resideInAPackage(within(one))
              .should()
              .dependOnClassesThat()
              .resideInAPackage(within(other))
              .check(MAIN);
        }
      }
    }
  }

  @Test
  void leavesImportNoOtherPackage() {
    for (var leaf : LEAVES) {
      noClasses()
          .that()
          .resideInAPackage(within(leaf))
          .should()
          .dependOnClassesThat(
              DescribedPredicate.describe(
                  "live in another package of the project",
                  type ->
                      type.getPackageName().startsWith("dev.errand")
                          && !type.getPackageName().equals("dev.errand." + leaf)
                          && !LOWEST.contains(type.getPackageName())))
          .check(MAIN);
    }
  }

  private static String within(String room) {
    return "dev.errand." + room + "..";
  }

  @Test
  void packagesFormNoCycle() {
    SlicesRuleDefinition.slices()
        .matching("dev.errand.(*)..")
        .should()
        .beFreeOfCycles()
        .check(MAIN);
  }

  @Test
  void onlyTheJobPackageKnowsJobRunr() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.errand.job")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.jobrunr..")
        .check(MAIN);
  }

  @Test
  void onlyTheTracePackageKnowsOpenTelemetry() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.errand.trace")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.opentelemetry..")
        .check(MAIN);
  }
}
