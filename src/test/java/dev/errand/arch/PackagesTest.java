package dev.errand.arch;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import org.junit.jupiter.api.Test;

/** Who may import whom: what stands further down knows nothing of what stands above it. */
class PackagesTest {

  private static final JavaClasses MAIN =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("dev.errand");

  @Test
  void importsPointDownwards() {
    layeredArchitecture()
        .consideringOnlyDependenciesInAnyPackage("dev.errand..")
        .layer("doors")
        .definedBy("dev.errand.api..", "dev.errand.ops..")
        .layer("task")
        .definedBy("dev.errand.task..")
        .layer("webhook")
        .definedBy("dev.errand.webhook..")
        .layer("outbox")
        .definedBy("dev.errand.outbox..")
        .layer("job")
        .definedBy("dev.errand.job..")
        .layer("run")
        .definedBy("dev.errand.run..")
        .layer("agent")
        .definedBy("dev.errand.agent..")
        .layer("model")
        .definedBy("dev.errand.model..")
        .layer("tool")
        .definedBy("dev.errand.tool..")
        .layer("session")
        .definedBy("dev.errand.session..")
        .layer("event")
        .definedBy("dev.errand.event..")
        .whereLayer("doors")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("task")
        .mayOnlyBeAccessedByLayers("doors")
        .whereLayer("webhook")
        .mayOnlyBeAccessedByLayers("doors", "task")
        .whereLayer("outbox")
        .mayOnlyBeAccessedByLayers("doors", "task", "webhook")
        .whereLayer("job")
        .mayOnlyBeAccessedByLayers("doors")
        .whereLayer("run")
        .mayOnlyBeAccessedByLayers("doors", "task", "job")
        .whereLayer("agent")
        .mayOnlyBeAccessedByLayers("doors", "task", "run")
        .whereLayer("model")
        .mayOnlyBeAccessedByLayers("doors", "task", "agent")
        .whereLayer("tool")
        .mayOnlyBeAccessedByLayers("doors", "task", "agent")
        .whereLayer("session")
        .mayOnlyBeAccessedByLayers("doors", "task", "webhook", "job", "run", "agent")
        .whereLayer("event")
        .mayOnlyBeAccessedByLayers("doors", "task", "outbox", "webhook", "session")
        .check(MAIN);
  }

  @Test
  void modelToolSessionAndOutboxDoNotKnowEachOther() {
    var apart = new String[] {"model", "tool", "session", "outbox"};
    for (var one : apart) {
      for (var other : apart) {
        if (!one.equals(other)) {
          ArchRuleDefinition.noClasses()
              .that()
              .resideInAPackage("dev.errand." + one + "..")
              .should()
              .dependOnClassesThat()
              .resideInAPackage("dev.errand." + other + "..")
              .check(MAIN);
        }
      }
    }
  }

  @Test
  void wordsAndLeavesImportNoOtherPackageOfOurs() {
    for (var leaf :
        new String[] {
          "conversation", "permission", "time", "postgres", "egress", "markdown", "trace"
        }) {
      ArchRuleDefinition.noClasses()
          .that()
          .resideInAPackage("dev.errand." + leaf)
          .should()
          .dependOnClassesThat(
              com.tngtech.archunit.base.DescribedPredicate.describe(
                  "live in another package of ours",
                  type ->
                      type.getPackageName().startsWith("dev.errand")
                          && !type.getPackageName().equals("dev.errand." + leaf)))
          .check(MAIN);
    }
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
    ArchRuleDefinition.noClasses()
        .that()
        .resideOutsideOfPackage("dev.errand.job")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.jobrunr..")
        .check(MAIN);
  }

  @Test
  void onlyTheTracePackageKnowsOpenTelemetry() {
    ArchRuleDefinition.noClasses()
        .that()
        .resideOutsideOfPackage("dev.errand.trace")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.opentelemetry..")
        .check(MAIN);
  }
}
