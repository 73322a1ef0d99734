package dev.errand.permission;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

class PermissionsTest {

  private static final List<String> TOOLS = List.of("read", "write", "task", "bash");
  private static final List<String> NAMES = List.of("*", "read", "write", "task", "r*", "*e");
  private static final List<String> SUBJECTS =
      List.of("*", "src/a.txt", "src/b.txt", "secret/key", "explore", "");
  private static final List<String> PATTERNS =
      List.of("*", "src/*", "*.txt", "secret/*", "explore", "s*c*", "");

  @Test
  void lastMatchingRuleWins() {
    var permissions =
        Permissions.ALL.narrowedBy(
            List.of(
                Rule.deny("read"),
                new Rule("read", "src/*", Rule.Action.ALLOW),
                new Rule("read", "src/secret*", Rule.Action.DENY)));

    assertThat(permissions.allow("read", "src/a.txt")).isTrue();
    assertThat(permissions.allow("read", "src/secret.txt")).isFalse();
    assertThat(permissions.allow("read", "a.txt")).isFalse();
    assertThat(permissions.allow("write", "a.txt")).isTrue();
  }

  @Test
  void allowListDeniesEverythingElse() {
    var permissions = Permissions.ALL.narrowedBy(List.of(Rule.deny("*"), Rule.allow("read")));

    assertThat(permissions.mayEverAllow("read")).isTrue();
    assertThat(permissions.mayEverAllow("write")).isFalse();
  }

  @RepeatedTest(100)
  void childHasNoPermissionThatItsParentLacks(RepetitionInfo repetition) {
    var random = new Random(repetition.getCurrentRepetition());
    var parent = permissions(random);
    var child = parent.narrowedBy(layer(random)).narrowedBy(layer(random));

    for (var tool : TOOLS) {
      assertThat(parent.mayEverAllow(tool) || !child.mayEverAllow(tool))
          .as("%s of %s below %s", tool, child, parent)
          .isTrue();
      for (var subject : SUBJECTS) {
        assertThat(parent.allow(tool, subject) || !child.allow(tool, subject))
            .as("%s on %s of %s below %s", tool, subject, child, parent)
            .isTrue();
      }
    }
  }

  @RepeatedTest(100)
  void permissionThatMayNeverBeAllowedIsDeniedForEverySubject(RepetitionInfo repetition) {
    var random = new Random(repetition.getCurrentRepetition());
    var permissions = permissions(random);

    for (var tool : TOOLS) {
      for (var subject : SUBJECTS) {
        assertThat(permissions.mayEverAllow(tool) || !permissions.allow(tool, subject))
            .as("%s on %s of %s", tool, subject, permissions)
            .isTrue();
      }
    }
  }

  private static Permissions permissions(Random random) {
    var permissions = Permissions.ALL;
    for (int i = random.nextInt(4); i > 0; i--) {
      permissions = permissions.narrowedBy(layer(random));
    }
    return permissions;
  }

  private static List<Rule> layer(Random random) {
    return Stream.generate(() -> rule(random)).limit(random.nextInt(6)).toList();
  }

  private static Rule rule(Random random) {
    var action = random.nextBoolean() ? Rule.Action.ALLOW : Rule.Action.DENY;
    return new Rule(oneOf(NAMES, random), oneOf(PATTERNS, random), action);
  }

  private static String oneOf(List<String> values, Random random) {
    return values.get(random.nextInt(values.size()));
  }
}
