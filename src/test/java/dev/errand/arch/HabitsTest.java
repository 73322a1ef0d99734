package dev.errand.arch;

import static com.tngtech.archunit.lang.conditions.ArchConditions.not;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static dev.errand.arch.MainClasses.MAIN;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import dev.errand.conversation.Ids;
import dev.errand.model.LanguageModel;
import dev.errand.tool.Tool;
import io.quarkus.narayana.jta.QuarkusTransaction;
import jakarta.annotation.security.RolesAllowed;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import jakarta.ws.rs.HttpMethod;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.HashSet;
import org.junit.jupiter.api.Test;

/** What we have agreed to do and not to do. */
class HabitsTest {

  /**
   * A model call or a tool run takes seconds to minutes; a transaction that is open for so long
   * blocks others (architecture, rule 2).
   */
  @Test
  void noTransactionReachesAModelAToolOrHttp() {
    methods()
        .that(areTransactional())
        .should(
            not(
                reach(
                    LanguageModel.class,
                    Tool.class,
                    java.net.http.HttpClient.class,
                    org.apache.hc.client5.http.classic.HttpClient.class)))
        .check(MAIN);
  }

  /** An id without the number of its cell could not be routed. */
  @Test
  void idsAreCreatedInOnePlace() {
    noClasses()
        .that()
        .doNotBelongToAnyOf(Ids.class)
        .should()
        .dependOnClassesThat()
        .resideInAPackage("com.github.f4b6a3.uuid..")
        .check(MAIN);
  }

  @Test
  void everyResourceMethodSaysWhichRolesMayCallIt() {
    methods()
        .that()
        .areMetaAnnotatedWith(HttpMethod.class)
        .should()
        .beAnnotatedWith(RolesAllowed.class)
        .orShould()
        .beDeclaredInClassesThat()
        .areAnnotatedWith(RolesAllowed.class)
        .orShould()
        .beDeclaredInClassesThat()
        .resideInAPackage("dev.errand.console")
        .because("anybody may load the console, and reads as little with it as without it")
        .check(MAIN);
  }

  @Test
  void beansGetWhatTheyNeedThroughTheirConstructor() {
    noFields().should().beAnnotatedWith(Inject.class).check(MAIN);
  }

  /** One constraint would make every start build the metadata of all settings. */
  @Test
  void settingsAreCheckedWithoutBeanValidation() {
    noClasses()
        .that()
        .haveNameMatching(".*(Config|Aliases)(\\$.*)?")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("jakarta.validation..", "org.hibernate.validator..")
        .check(MAIN);
  }

  @Test
  void theClockIsABean() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.errand.time")
        .should()
        .callMethod(Instant.class, "now")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .check(MAIN);
  }

  @Test
  void namesSayWhatAClassDoes() {
    classes()
        .that()
        .areTopLevelClasses()
        .should()
        .haveNameNotMatching(".*(Util|Utils|Helper|Manager|Processor|Impl)$")
        .andShould()
        .haveNameNotMatching(".*\\.Abstract[A-Z].*")
        .check(MAIN);
  }

  /** Only what happens before there is a log. */
  @Test
  void nobodyPrints() {
    noClasses()
        .that()
        .doNotHaveSimpleName("Errand")
        .should()
        .accessField(System.class, "out")
        .orShould()
        .accessField(System.class, "err")
        .check(MAIN);
  }

  /**
   * Annotated, or running a lambda in a transaction; the calls of a lambda count as the method's.
   */
  private static DescribedPredicate<JavaMethod> areTransactional() {
    return DescribedPredicate.describe(
        "are transactional",
        method ->
            method.isAnnotatedWith(Transactional.class)
                || method.getCallsFromSelf().stream()
                    .anyMatch(
                        call -> call.getTargetOwner().isEquivalentTo(QuarkusTransaction.class)));
  }

  /** Follows calls into our own code, through interfaces to all their implementations. */
  private static ArchCondition<JavaMethod> reach(Class<?>... targets) {
    return new ArchCondition<>("reach a model, a tool or HTTP") {
      @Override
      public void check(JavaMethod start, ConditionEvents events) {
        var seen = new HashSet<JavaCodeUnit>();
        var open = new ArrayDeque<JavaCodeUnit>();
        open.add(start);
        while (!open.isEmpty()) {
          var unit = open.remove();
          if (!seen.add(unit)) {
            continue;
          }
          for (var call : unit.getCallsFromSelf()) {
            if (runs(call.getTargetOwner(), call.getName(), targets)) {
              events.add(
                  SimpleConditionEvent.satisfied(start, start.getFullName() + " reaches " + call));
            }
            call.getTarget().resolveMember().ifPresent(target -> follow(target, open));
          }
        }
      }
    };
  }

  private static boolean runs(JavaClass owner, String method, Class<?>... targets) {
    var names = java.util.Set.of("reply", "call", "send", "executeOpen");
    if (!names.contains(method)) {
      return false;
    }
    for (var target : targets) {
      if (owner.isAssignableTo(target)) {
        return true;
      }
    }
    return false;
  }

  private static void follow(Object target, ArrayDeque<JavaCodeUnit> open) {
    if (!(target instanceof JavaCodeUnit unit)
        || !unit.getOwner().getPackageName().startsWith("dev.errand")) {
      return;
    }
    open.add(unit);
    if (unit instanceof JavaMethod method && unit.getOwner().isInterface()) {
      for (var implementation : unit.getOwner().getAllSubclasses()) {
        implementation
            .tryGetMethod(
                method.getName(),
                method.getRawParameterTypes().stream()
                    .map(JavaClass::getName)
                    .toArray(String[]::new))
            .ifPresent(open::add);
      }
    }
  }
}
