package dev.errand.agent;

import dev.errand.permission.Rule;
import java.util.List;
import java.util.Set;

/**
 * What an agent is (G1).
 *
 * @param summary one sentence for the model that chooses whom to delegate to
 * @param prompt the system prompt
 * @param rules what it may do; the last match wins, what no rule names is allowed
 * @param maxTurns model calls before it must sum up
 */
public record AgentDefinition(
    String name, Mode mode, String summary, String prompt, List<Rule> rules, int maxTurns) {

  /** Where an agent may be used. */
  public enum Mode {
    PRIMARY,
    SUBAGENT,
    ALL
  }

  /** What no child may do unless its definition says otherwise (P3). */
  static final Set<String> NOT_FOR_CHILDREN =
      Set.of("todowrite", "todoread", "task", "task_output", "task_cancel", "spawn", "message");

  public AgentDefinition {
    rules = List.copyOf(rules);
  }

  /** Whether a task may be given to it. */
  public boolean isDelegable() {
    return mode != Mode.PRIMARY;
  }

  /** Whether a root session may be given to it. */
  public boolean isPrimary() {
    return mode != Mode.SUBAGENT;
  }
}
