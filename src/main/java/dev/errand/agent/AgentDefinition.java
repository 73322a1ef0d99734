package dev.errand.agent;

import dev.errand.permission.Rule;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What an agent is (G1).
 *
 * @param summary one sentence for the model that chooses whom to delegate to
 * @param prompt the system prompt
 * @param rules what it may do; the last match wins, what no rule names is allowed
 * @param terms what its runs get unless a call says otherwise
 */
public record AgentDefinition(
    String name, Mode mode, String summary, String prompt, List<Rule> rules, Terms terms) {

  /** Where an agent may be used. */
  public enum Mode {
    PRIMARY,
    SUBAGENT,
    ALL
  }

  /**
   * What its runs get unless a call says otherwise.
   *
   * @param model null means the parent's
   * @param subagents the agents it may delegate to as a child; empty means none
   * @param maxTurns model calls before it must sum up
   * @param maxRetries how often a failed attempt is tried again
   * @param timeout from the first start of a task
   */
  public record Terms(
      @Nullable String model,
      List<String> subagents,
      int maxTurns,
      int maxRetries,
      Duration timeout) {

    public static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(5);

    public Terms {
      subagents = List.copyOf(subagents);
    }
  }

  /** What no child may do unless its definition says otherwise (P3). */
  static final Set<String> NOT_FOR_CHILDREN =
      Set.of(
          "todowrite",
          "todoread",
          "task",
          "task_output",
          "task_cancel",
          "task_list",
          "spawn",
          "message");

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
