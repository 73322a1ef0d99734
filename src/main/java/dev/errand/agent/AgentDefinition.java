package dev.errand.agent;

import dev.errand.permission.Permissions;
import dev.errand.permission.Rule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What an agent is (G1).
 *
 * @param summary for the model that chooses whom to delegate to
 * @param prompt the system prompt; {@code {task_description}} in it stands for the task
 * @param ownRules what it may do, before the limits of children; the last match wins, what no rule
 *     names is allowed
 * @param terms what its runs get unless a call says otherwise
 * @param source {@link #BUILT_IN}, or the name of its file
 */
public record AgentDefinition(
    String name,
    Mode mode,
    String summary,
    String prompt,
    List<Rule> ownRules,
    Terms terms,
    String source) {

  public static final String BUILT_IN = "built_in";

  /** What only delegating agents have; a child has it for its {@code subagents} alone (R9). */
  public static final Set<String> DELEGATION =
      Set.of("task", "task_output", "task_cancel", "task_list", "spawn");

  /** What else no child may do unless its rules name it (P3). */
  private static final List<String> NOT_FOR_CHILDREN =
      List.of("message", "todoread", "todowrite", "skill_search", "skill_write");

  /** The agent that {@code spawn} gives its tasks to. */
  private static final String SPAWNED = "general";

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
   * @param subagents the agents it may delegate to; empty means none for a child, all for a root
   * @param maxTurns model calls before it must sum up
   * @param maxRetries how often a failed attempt is tried again
   * @param timeout from the first start of a task
   * @param skills those that are in its prompt from the start
   */
  public record Terms(
      @Nullable String model,
      List<String> subagents,
      int maxTurns,
      int maxRetries,
      Duration timeout,
      List<String> skills) {

    public static final int DEFAULT_RETRIES = 2;
    public static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(5);

    public Terms {
      subagents = List.copyOf(subagents);
      skills = List.copyOf(skills);
    }

    /** Those of an agent without skills of its own. */
    public Terms(
        @Nullable String model,
        List<String> subagents,
        int maxTurns,
        int maxRetries,
        Duration timeout) {
      this(model, subagents, maxTurns, maxRetries, timeout, List.of());
    }
  }

  public AgentDefinition {
    ownRules = List.copyOf(ownRules);
  }

  /** Whether a task may be given to it. */
  public boolean isDelegable() {
    return mode != Mode.PRIMARY;
  }

  /** Whether a root session may be given to it. */
  public boolean isPrimary() {
    return mode != Mode.SUBAGENT;
  }

  /** What a root session of it may do where {@code granted} is asked for. */
  public Permissions asRoot(Permissions granted) {
    var own = granted.narrowedBy(ownRules);
    return terms.subagents().isEmpty() ? own : own.narrowedBy(delegationRules());
  }

  /** What a child of it may do below a parent with these permissions; never more (P2). */
  public Permissions asChildOf(Permissions parent) {
    return parent.narrowedBy(ownRules).narrowedBy(childLimits());
  }

  AgentDefinition withSubagents(List<String> subagents) {
    var linked =
        new Terms(
            terms.model(),
            subagents,
            terms.maxTurns(),
            terms.maxRetries(),
            terms.timeout(),
            terms.skills());
    return new AgentDefinition(name, mode, summary, prompt, ownRules, linked, source);
  }

  /** The words of its prompt, about this task. */
  public String promptFor(String task) {
    return prompt.replace("{task_description}", task);
  }

  private List<Rule> childLimits() {
    var limits = new ArrayList<>(delegationRules());
    NOT_FOR_CHILDREN.stream()
        .filter(tool -> !ownRulesGrant(tool))
        .forEach(tool -> limits.add(Rule.deny(tool)));
    return limits;
  }

  private boolean ownRulesGrant(String tool) {
    return ownRules.stream()
        .anyMatch(rule -> rule.action() == Rule.Action.ALLOW && rule.permission().equals(tool));
  }

  /** {@code task} for its subagents and nobody else. */
  private List<Rule> delegationRules() {
    var rules = new ArrayList<>(DELEGATION.stream().sorted().map(Rule::deny).toList());
    if (!terms.subagents().isEmpty()) {
      rules.addAll(List.of(Rule.allow("task_output"), Rule.allow("task_cancel")));
      rules.add(Rule.allow("task_list"));
      terms.subagents().forEach(name -> rules.add(new Rule("task", name, Rule.Action.ALLOW)));
    }
    if (terms.subagents().contains(SPAWNED)) {
      rules.add(Rule.allow("spawn"));
    }
    return rules;
  }
}
