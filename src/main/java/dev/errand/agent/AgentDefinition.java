package dev.errand.agent;

import dev.errand.permission.Layer.From;
import dev.errand.permission.Permissions;
import dev.errand.permission.Rule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The definition of an agent.
 *
 * @param summary tells models what to delegate to this agent
 * @param prompt the system prompt, in which {@code {task_description}} is replaced by the task
 * @param ownRules what the agent may do, before the limits of children apply; the last matching
 *     rule wins, and what no rule matches is allowed
 * @param terms the defaults of its runs
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

  /** The tools for delegating. A child has them only for its {@code subagents}. */
  public static final Set<String> DELEGATION =
      Set.of("task", "task_output", "task_cancel", "task_list", "task_apply", "spawn");

  /** The other tools that a child has only if its rules name them. */
  private static final List<String> NOT_FOR_CHILDREN =
      List.of("message", "todoread", "todowrite", "skill_search", "skill_write");

  /** The agent that gets the tasks of {@code spawn}. */
  private static final String SPAWNED = "general";

  /** Where an agent may be used. */
  public enum Mode {
    PRIMARY,
    SUBAGENT,
    ALL
  }

  /**
   * The defaults of its runs, which a call may override.
   *
   * @param model null means the model of the parent
   * @param subagents the agents it may delegate to; empty means none for a child, all for a root
   * @param maxTurns the number of model calls before the agent must sum up
   * @param maxRetries how often a failed attempt is repeated
   * @param timeout the time from the first start of a task
   * @param skills the skills whose texts are part of its prompt
   * @param isolation where its children work; a call cannot weaken it
   */
  public record Terms(
      @Nullable String model,
      List<String> subagents,
      int maxTurns,
      int maxRetries,
      Duration timeout,
      List<String> skills,
      Isolation isolation) {

    public static final int DEFAULT_RETRIES = 2;
    public static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(5);

    public Terms {
      subagents = List.copyOf(subagents);
      skills = List.copyOf(skills);
    }

    /** Terms without skills and isolation. */
    public Terms(
        @Nullable String model,
        List<String> subagents,
        int maxTurns,
        int maxRetries,
        Duration timeout) {
      this(model, subagents, maxTurns, maxRetries, timeout, List.of(), Isolation.SHARED);
    }
  }

  public AgentDefinition {
    ownRules = List.copyOf(ownRules);
  }

  /** Whether the agent takes tasks. */
  public boolean isDelegable() {
    return mode != Mode.PRIMARY;
  }

  /** Whether the agent may run root sessions. */
  public boolean isPrimary() {
    return mode != Mode.SUBAGENT;
  }

  /** The permissions of a root session of this agent that was created with {@code granted}. */
  public Permissions asRoot(Permissions granted) {
    var own = granted.narrowedBy(From.AGENT, ownRules);
    return terms.subagents().isEmpty() ? own : own.narrowedBy(From.AGENT, delegationRules());
  }

  /** The permissions of a child session of this agent; never more than those of the parent. */
  public Permissions asChildOf(Permissions parent) {
    return parent
        .inherited()
        .narrowedBy(From.AGENT, ownRules)
        .narrowedBy(From.AGENT, childLimits());
  }

  AgentDefinition withSubagents(List<String> subagents) {
    var linked =
        new Terms(
            terms.model(),
            subagents,
            terms.maxTurns(),
            terms.maxRetries(),
            terms.timeout(),
            terms.skills(),
            terms.isolation());
    return new AgentDefinition(name, mode, summary, prompt, ownRules, linked, source);
  }

  /** Returns the prompt for this task. */
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

  /** Allows {@code task} for the subagents only. */
  private List<Rule> delegationRules() {
    var rules = new ArrayList<>(DELEGATION.stream().sorted().map(Rule::deny).toList());
    if (!terms.subagents().isEmpty()) {
      rules.addAll(List.of(Rule.allow("task_output"), Rule.allow("task_cancel")));
      rules.addAll(List.of(Rule.allow("task_list"), Rule.allow("task_apply")));
      terms.subagents().forEach(name -> rules.add(new Rule("task", name, Rule.Action.ALLOW)));
    }
    if (terms.subagents().contains(SPAWNED)) {
      rules.add(Rule.allow("spawn"));
    }
    return rules;
  }
}
