package dev.errand.agent;

import dev.errand.permission.Permissions;
import dev.errand.permission.Rule;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The agents of a tenant: the built-in ones and those of its files. Immutable.
 *
 * @param all agents with unique names
 */
public record AgentCatalog(List<AgentDefinition> all) {

  private static final Map<String, String> ALIASES =
      Map.of("general-purpose", AgentDefinition.GENERAL, "shell", "bash");

  public AgentCatalog {
    all = List.copyOf(all);
  }

  /**
   * Finds an agent by name, or else by alias, ignoring case. A private one needs its whole name.
   */
  public Optional<AgentDefinition> find(String name) {
    return named(name.strip().toLowerCase(Locale.ROOT)).or(() -> named(canonical(name)));
  }

  /**
   * Finds the agent that a session means by a name: a private agent of its own agent, or else one
   * that every agent may use.
   *
   * @param user the agent of the session
   */
  public Optional<AgentDefinition> find(String name, String user) {
    return named(user + "/" + name.strip().toLowerCase(Locale.ROOT))
        .or(() -> find(name).filter(agent -> agent.isUsableBy(user)));
  }

  /** Returns the name of an agent that may be given by an alias or in another case. */
  static String canonical(String name) {
    var lower = name.strip().toLowerCase(Locale.ROOT);
    return ALIASES.getOrDefault(lower, lower);
  }

  /** Returns the rule with the agent's own name in place of an alias or another case. */
  static Rule canonical(Rule rule) {
    return rule.permission().equals("task")
        ? new Rule("task", canonical(rule.pattern()), rule.action())
        : rule;
  }

  /** Returns the agents that take tasks from all agents. */
  List<AgentDefinition> delegable() {
    return delegableBy("");
  }

  /**
   * Returns the agents that take tasks from sessions of this agent, under the names that it uses.
   */
  List<AgentDefinition> delegableBy(String user) {
    return all.stream()
        .filter(AgentDefinition::isDelegable)
        .filter(agent -> find(agent.localName(), user).filter(agent::equals).isPresent())
        .toList();
  }

  /**
   * Returns the agents to which a session may delegate.
   *
   * @param user the agent of the session
   */
  public List<AgentDefinition> delegableBy(String user, Permissions permissions) {
    return delegableBy(user).stream()
        .filter(agent -> permissions.allow("task", agent.name()))
        .toList();
  }

  /** Lists the names of {@link #delegableBy} for use in error messages. */
  public String namesFor(String user, Permissions permissions) {
    return names(delegableBy(user, permissions));
  }

  /** Returns the same agents with the settings of the operator. */
  AgentCatalog with(Map<String, AgentConfig.AgentSettings> settings) {
    return new AgentCatalog(
        all.stream()
            .map(agent ->
                settings.containsKey(agent.name()) ? agent.with(settings.get(agent.name())) : agent)
            .toList());
  }

  /** Lists the names of these agents for use in error messages. */
  static String names(List<AgentDefinition> agents) {
    return agents.isEmpty()
        ? "none"
        : agents.stream().map(AgentDefinition::localName).collect(Collectors.joining(", "));
  }

  Optional<AgentDefinition> named(String name) {
    return all.stream().filter(agent -> agent.name().equals(name)).findFirst();
  }
}
