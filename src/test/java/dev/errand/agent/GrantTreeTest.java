package dev.errand.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.permission.Permissions;
import dev.errand.permission.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

/** In trees of sessions of random agents, no session has more permissions than its ancestors. */
class GrantTreeTest {

  private static final int GENERATIONS = 5;
  private static final List<String> TOOLS =
      List.of("read", "write", "todowrite", "message", "task", "task_output", "spawn", "x_y");
  private static final List<String> NAMES =
      List.of("*", "read", "write", "todowrite", "message", "task", "task*", "spawn", "x_*");
  private static final List<String> SUBJECTS =
      List.of("*", "src/a.txt", "secret/key", "general", "explore", "b", "");
  private static final List<String> PATTERNS =
      List.of("*", "*", "src/*", "*.txt", "general", "explore", "b", "e*", "");
  private static final List<String> AGENTS = List.of("general", "explore", "b");

  @RepeatedTest(100)
  void childHasNoPermissionThatAnAncestorLacks(RepetitionInfo repetition) {
    var random = new Random(repetition.getCurrentRepetition());
    var line = line(random);

    for (int child = 1; child < line.size(); child++) {
      for (var ancestor : line.subList(0, child)) {
        checkNoMore(line.get(child), ancestor);
      }
    }
  }

  @RepeatedTest(100)
  void toolThatMayNeverBeAllowedIsDeniedForEverySubject(RepetitionInfo repetition) {
    var random = new Random(repetition.getCurrentRepetition());

    for (var session : line(random)) {
      for (var tool : TOOLS) {
        assertThat(
                session.mayEverAllow(tool)
                    || SUBJECTS.stream().noneMatch(subject -> session.allow(tool, subject)))
            .as("%s of %s", tool, session)
            .isTrue();
      }
    }
  }

  @RepeatedTest(100)
  void childDelegatesOnlyToItsSubagents(RepetitionInfo repetition) {
    var random = new Random(repetition.getCurrentRepetition());
    var agent = agent(random);

    var child = agent.asChildOf(Permissions.ALL);

    assertThat(SUBJECTS.stream().filter(subject -> child.allow("task", subject)))
        .isSubsetOf(agent.terms().subagents());
  }

  private static void checkNoMore(Permissions child, Permissions ancestor) {
    assertThat(ancestor.allowCommandsToChangeFiles() || !child.allowCommandsToChangeFiles())
        .as("commands of %s below %s", child, ancestor)
        .isTrue();
    for (var tool : TOOLS) {
      for (var subject : SUBJECTS) {
        assertThat(ancestor.allow(tool, subject) || !child.allow(tool, subject))
            .as("%s on %s of %s below %s", tool, subject, child, ancestor)
            .isTrue();
      }
    }
  }

  /** A root and its descendants, one per generation. */
  private static List<Permissions> line(Random random) {
    var line = new ArrayList<Permissions>();
    line.add(agent(random).asRoot(Permissions.ALL.narrowedBy(rules(random))));
    while (line.size() < GENERATIONS) {
      line.add(agent(random).asChildOf(line.getLast()).narrowedBy(rules(random)));
    }
    return line;
  }

  private static AgentDefinition agent(Random random) {
    var subagents = AGENTS.stream().filter(_ -> random.nextBoolean()).toList();
    var terms =
        new AgentDefinition.RunDefaults(
            null, subagents, 1, 0, AgentDefinition.RunDefaults.DEFAULT_TIMEOUT);
    return new AgentDefinition(
        "b", AgentDefinition.AgentMode.ALL, "", "", rules(random), terms, AgentDefinition.BUILT_IN);
  }

  private static List<Rule> rules(Random random) {
    return Stream.generate(() -> rule(random)).limit(random.nextInt(6)).toList();
  }

  private static Rule rule(Random random) {
    var action = random.nextInt(3) > 0 ? Rule.Action.ALLOW : Rule.Action.DENY;
    return new Rule(oneOf(NAMES, random), oneOf(PATTERNS, random), action);
  }

  private static String oneOf(List<String> values, Random random) {
    return values.get(random.nextInt(values.size()));
  }
}
