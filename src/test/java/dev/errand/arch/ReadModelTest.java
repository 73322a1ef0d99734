package dev.errand.arch;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static dev.errand.arch.MainClasses.MAIN;

import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitCallTarget;
import com.tngtech.archunit.core.domain.JavaCall;
import jakarta.persistence.Entity;
import java.util.Set;
import org.hibernate.annotations.Immutable;
import org.junit.jupiter.api.Test;

/**
 * The border between the two ways into the database: {@code view} reads entities, and only that.
 */
class ReadModelTest {

  private static final String VIEW = "dev.errand.view";

  /** Methods of entities, Panache, entity managers and Hibernate sessions. */
  private static final Set<String> WRITES =
      Set.of(
          "persist",
          "persistAndFlush",
          "merge",
          "remove",
          "delete",
          "deleteAll",
          "deleteById",
          "update",
          "insert",
          "upsert",
          "flush",
          "executeUpdate",
          "createMutationQuery");

  private static final Set<String> NATIVE =
      Set.of("createNativeQuery", "createNativeMutationQuery", "createSQLQuery", "doWork");

  @Test
  void onlyTheReadModelAndTenantsKnowHibernateAndPanache() {
    noClasses()
        .that()
        .resideOutsideOfPackages(VIEW, "dev.errand.tenant")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "jakarta.persistence..",
            "org.hibernate",
            "org.hibernate.annotations..",
            "org.hibernate.jpa..",
            "io.quarkus.hibernate..",
            "io.quarkus.panache..")
        .check(MAIN);
  }

  @Test
  void theReadModelUsesNeitherJdbcNorJdbi() {
    noClasses()
        .that()
        .resideInAPackage(VIEW)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.jdbi..", "java.sql..", "javax.sql..")
        .check(MAIN);
  }

  @Test
  void theReadModelExecutesNoNativeQuery() {
    noClasses()
        .that()
        .resideInAPackage(VIEW)
        .should()
        .callCodeUnitWhere(
            describe(
                "runs a native query",
                (JavaCall<?> call) -> NATIVE.contains(call.getTarget().getName())))
        .check(MAIN);
  }

  @Test
  void theReadModelWritesNothing() {
    noClasses()
        .that()
        .resideInAPackage(VIEW)
        .should()
        .callCodeUnitWhere(
            describe(
                "writes rows",
                (JavaCall<?> call) ->
                    WRITES.contains(call.getTarget().getName()) && isPersistence(call.getTarget())))
        .check(MAIN);
  }

  @Test
  void entitiesOfTheReadModelAreImmutable() {
    classes()
        .that()
        .resideInAPackage(VIEW)
        .and()
        .areAnnotatedWith(Entity.class)
        .should()
        .beAnnotatedWith(Immutable.class)
        .andShould()
        .bePackagePrivate()
        .check(MAIN);
  }

  @Test
  void entitiesStayInTheReadModel() {
    noFields()
        .that()
        .areDeclaredInClassesThat(
            resideInAPackage(VIEW).and(describe("records", type -> type.isRecord())))
        .should()
        .haveRawType(describe("an entity", type -> type.isAnnotatedWith(Entity.class)))
        .check(MAIN);
  }

  private static boolean isPersistence(CodeUnitCallTarget target) {
    var owner = target.getOwner();
    return owner.isAnnotatedWith(Entity.class)
        || owner.getPackageName().startsWith("io.quarkus.hibernate")
        || owner.getPackageName().startsWith("org.hibernate")
        || owner.getPackageName().startsWith("jakarta.persistence");
  }
}
