package dev.errand.permission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.permission.Permissions.Denial;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

  @Test
  void layersAreEvaluatedEachOnItsOwn() {
    var parent =
        Permissions.ALL.narrowedBy(
            Layer.From.AGENT,
            List.of(Rule.deny("write"), new Rule("write", "docs/*", Rule.Action.ALLOW)));
    var child = parent.inherited().narrowedBy(List.of(Rule.allow("*"), Rule.deny("edit")));

    assertThat(child.allowPath("write", "docs/a.md")).isTrue();
    assertThat(child.denialOfPath("write", "src/A.java").map(Denial::reason))
        .hasValue("denied by the permissions of its parent session (rule: deny write on *)");
    assertThat(child.denialOfAll(List.of("edit")).map(Denial::reason))
        .hasValue("denied by the permissions that it was created with (rule: deny edit on *)");
    assertThat(child.origins()).containsExactly(Layer.From.PARENT, Layer.From.REQUEST);
  }

  @Test
  void sameLayerIsInheritedOnce() {
    var permissions = Permissions.ALL;
    for (int generation = 0; generation < 5; generation++) {
      permissions =
          permissions
              .inherited()
              .narrowedBy(Layer.From.AGENT, List.of(Rule.deny("task")))
              .narrowedBy(List.of(Rule.deny("write")));
    }

    assertThat(permissions.origins())
        .containsExactly(
            Layer.From.PARENT, Layer.From.PARENT, Layer.From.AGENT, Layer.From.REQUEST);
    assertThat(permissions.size()).isEqualTo(4);
  }

  @ParameterizedTest
  @CsvSource({
    "secrets/*, secrets/k, true",
    "'', secrets/k, false",
    "./secrets/*, secrets/k, true",
    "/secrets/**, secrets/deep/k, true",
    "secrets/, secrets/k, true",
    ".//Secrets/, secrets, true",
    "**/.env, .env, true",
    "**/.env, app/.env, true",
    "./**/.env, .env, true",
    "/, src/a.txt, true",
    "**/.env, a.env, false",
    "src/**/.env, src/.env, true",
    "src/**/.env, src/a/b/.env, true",
    "src/**/.env, src/a.env, false",
    "a/**/b/**/c, a/x/b/c, true",
    "a/**/b/**/c, a/b/x/c, true",
    "a/**/b/**/c/**/d/**/e/**/f, a/b/c/d/e/f, true",
    "secrets/, secrets2/k, false",
    "/secrets, app/secrets, false",
    ".env, app/.env, false"
  })
  void denialOfAPathCoversItInEachCommonSpelling(String pattern, String path, boolean denied) {
    var rule = new Rule("read", pattern, Rule.Action.DENY);
    var exception = new Rule("read", pattern, Rule.Action.ALLOW);

    assertThat(Permissions.ALL.narrowedBy(List.of(rule)).allowPath("read", path))
        .isEqualTo(!denied);
    assertThat(
            Permissions.ALL
                .narrowedBy(List.of(Rule.deny("read"), exception))
                .allowPath("read", path))
        .as("no rule allows more than it says")
        .isEqualTo(new Wildcard(pattern).matches(path));
  }

  @Test
  void laterDenialOfTheSamePathsUndoesAPermission() {
    var layer =
        List.of(
            Rule.deny("write"),
            new Rule("write", "docs/*", Rule.Action.ALLOW),
            new Rule("write", "d*", Rule.Action.DENY));

    assertThat(Permissions.ALL.narrowedBy(layer).mayEverAllow("write")).isFalse();
    assertThat(Permissions.ALL.narrowedBy(layer.subList(0, 2)).mayEverAllow("write")).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "'', true",
    "-write, true",
    "-write -edit, false",
    "-write +write, true",
    "-write:secret/* -edit, false",
    "-write +write:docs/* -edit, false",
    "-* +bash, false",
    "-* +bash +write, true",
    "-* +bash +bash:changes, true",
    "-bash:changes, false"
  })
  void commandsMayChangeFilesIfEveryPathMayBeWrittenOrEdited(String rules, boolean may) {
    var layer =
        Stream.of(rules.split(" ")).filter(rule -> !rule.isEmpty()).map(PermissionsTest::rule);

    assertThat(Permissions.ALL.narrowedBy(layer.toList()).allowCommandsToChangeFiles())
        .isEqualTo(may);
  }

  @Test
  void layersTogetherMustAllowCommandsToChangeFiles() {
    var onlyWrite = Permissions.ALL.narrowedBy(List.of(Rule.deny("edit")));

    assertThat(onlyWrite.allowCommandsToChangeFiles()).isTrue();
    assertThat(onlyWrite.narrowedBy(List.of(Rule.deny("write"))).allowCommandsToChangeFiles())
        .isFalse();
  }

  /** {@code -write:secret/*} is a rule that denies. */
  private static Rule rule(String text) {
    var parts = text.substring(1).split(":(?!changes)");
    var action = text.startsWith("-") ? Rule.Action.DENY : Rule.Action.ALLOW;
    return new Rule(parts[0], parts.length > 1 ? parts[1] : "*", action);
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
