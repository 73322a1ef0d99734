package dev.errand.agent;

import dev.errand.conversation.Word;
import dev.errand.permission.Layer.From;
import dev.errand.permission.Permissions;
import dev.errand.permission.Rule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The definition of an agent.
 *
 * @param name unique; that of a private agent begins with the name of its parent and a slash
 * @param summary tells models what to delegate to this agent
 * @param prompt the system prompt, in which {@code {task_description}} is replaced by the task
 * @param ownRules what the agent may do, before the limits of children apply; the last matching
 *     rule wins, and what no rule matches is allowed
 * @param terms the defaults of its runs
 * @param source {@link #BUILT_IN}, or its file relative to the directory of agents
 * @param hasPrivateAgents whether there are agents that only this one may use
 */
public record AgentDefinition(
    String name,
    AgentMode mode,
    String summary,
    String prompt,
    List<Rule> ownRules,
    RunDefaults terms,
    String source,
    boolean hasPrivateAgents) {

  public static final String BUILT_IN = "built_in";

  /** The agent that gets the tasks of {@code spawn}, and those that name no agent. */
  public static final String GENERAL = "general";

  static final int MAX_TURNS = 1000;
  static final int MAX_RETRIES = 100;

  /** The tools for delegating. A child has them only for its {@code subagents}. */
  public static final Set<String> DELEGATION =
      Set.of("task", "task_output", "task_cancel", "task_list", "task_apply", "spawn");

  /** The other tools that a child has only if its rules name them. */
  private static final List<String> NOT_FOR_CHILDREN =
      List.of("message", "todoread", "todowrite", "skill_search", "skill_write");

  /** The places where an agent may be used. */
  public enum AgentMode implements Word {
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
  public record RunDefaults(
      @Nullable String model,
      List<String> subagents,
      int maxTurns,
      int maxRetries,
      Duration timeout,
      List<String> skills,
      Isolation isolation) {

    public static final int DEFAULT_RETRIES = 2;
    public static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(5);

    public RunDefaults {
      subagents = List.copyOf(subagents);
      skills = List.copyOf(skills);
    }

    /** Terms without skills and isolation. */
    public RunDefaults(
        @Nullable String model,
        List<String> subagents,
        int maxTurns,
        int maxRetries,
        Duration timeout) {
      this(model, subagents, maxTurns, maxRetries, timeout, List.of(), Isolation.SHARED);
    }

    RunDefaults with(List<String> linked) {
      return new RunDefaults(model, linked, maxTurns, maxRetries, timeout, skills, isolation);
    }

    RunDefaults with(AgentConfig.AgentSettings settings) {
      return new RunDefaults(
          model,
          subagents,
          settings.maxTurns().orElse(maxTurns),
          settings.maxRetries().orElse(maxRetries),
          settings.timeout().orElse(timeout),
          skills,
          isolation);
    }
  }

  public AgentDefinition {
    ownRules = List.copyOf(ownRules);
  }

  /** An agent without private ones. */
  public AgentDefinition(
      String name,
      AgentMode mode,
      String summary,
      String prompt,
      List<Rule> ownRules,
      RunDefaults terms,
      String source) {
    this(name, mode, summary, prompt, ownRules, terms, source, false);
  }

  /** Returns the name that the parent of a private agent uses; of other agents, the name. */
  public String localName() {
    return name.substring(name.lastIndexOf('/') + 1);
  }

  /** Returns the only agent that may delegate to this private agent; null if it is not private. */
  public @Nullable String parent() {
    var slash = name.lastIndexOf('/');
    return slash < 0 ? null : name.substring(0, slash);
  }

  /**
   * Returns whether sessions of this agent may delegate to this one, as far as privacy is
   * concerned.
   */
  boolean isUsableBy(String agent) {
    return parent() == null || agent.equals(parent());
  }

  /** Returns whether the agent takes tasks. */
  public boolean isDelegable() {
    return mode != AgentMode.PRIMARY;
  }

  /** Returns whether the agent may run root sessions. */
  public boolean isPrimary() {
    return mode != AgentMode.SUBAGENT;
  }

  /**
   * Returns the permissions of a root session of this agent that was created with {@code granted}.
   */
  public Permissions asRoot(Permissions granted) {
    var own = granted.narrowedBy(From.AGENT, ownRules);
    return terms.subagents().isEmpty() ? own : own.narrowedBy(From.AGENT, delegationRules());
  }

  /**
   * Returns the permissions of a child session of this agent; never more than those of the parent.
   */
  public Permissions asChildOf(Permissions parent) {
    return parent
        .inherited()
        .narrowedBy(From.AGENT, ownRules)
        .narrowedBy(From.AGENT, childLimits());
  }

  AgentDefinition withSubagents(List<String> subagents) {
    return with(prompt, ownRules, terms.with(subagents), hasPrivateAgents);
  }

  /**
   * Returns this agent with the tools for delegating, which it needs when it has private agents.
   */
  AgentDefinition withPrivateAgents() {
    var rules = new ArrayList<>(ownRules);
    if (!rules.isEmpty() && rules.getFirst().equals(Rule.deny("*"))) {
      rules.addAll(1, DELEGATION.stream().sorted().map(Rule::allow).toList());
    }
    return with(prompt, rules, terms, true);
  }

  /** Returns this agent with the settings of the operator. */
  AgentDefinition with(AgentConfig.AgentSettings settings) {
    return with(
        settings.extraPrompt().map(extra -> prompt + "\n\n" + extra.strip()).orElse(prompt),
        ownRules,
        terms.with(settings),
        hasPrivateAgents);
  }

  private AgentDefinition with(
      String newPrompt, List<Rule> rules, RunDefaults newTerms, boolean privateAgents) {
    return new AgentDefinition(
        name, mode, summary, newPrompt, rules, newTerms, source, privateAgents);
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

  /**
   * Allows {@code task} for the subagents and the own private agents only. What a subagent
   * delegates to its private agents must be allowed here, too, because no child has more
   * permissions than its parent.
   */
  private List<Rule> delegationRules() {
    var rules = new ArrayList<>(DELEGATION.stream().sorted().map(Rule::deny).toList());
    if (!terms.subagents().isEmpty() || hasPrivateAgents) {
      rules.addAll(List.of(Rule.allow("task_output"), Rule.allow("task_cancel")));
      rules.addAll(List.of(Rule.allow("task_list"), Rule.allow("task_apply")));
      terms.subagents().forEach(agent -> rules.add(new Rule("task", agent, Rule.Action.ALLOW)));
      Stream.concat(terms.subagents().stream(), Stream.of(name))
          .forEach(agent -> rules.add(new Rule("task", agent + "/*", Rule.Action.ALLOW)));
    }
    if (terms.subagents().contains(GENERAL)) {
      rules.add(Rule.allow("spawn"));
    }
    return rules;
  }
}
