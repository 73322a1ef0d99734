package dev.errand.agent;

import dev.errand.permission.Permissions;
import dev.errand.permission.Rule;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The agents there are at one moment.
 *
 * @param all no two of one name
 */
record AgentCatalog(List<AgentDefinition> all) {

  private static final Map<String, String> ALIASES =
      Map.of("general-purpose", "general", "shell", "bash");

  AgentCatalog {
    all = List.copyOf(all);
  }

  /** Finds an agent by name or, when there is none of that name, by alias, whatever the case. */
  Optional<AgentDefinition> find(String name) {
    return named(name.strip().toLowerCase(Locale.ROOT)).or(() -> named(canonical(name)));
  }

  /** What an agent is called, whatever the case, that is named by its alias perhaps. */
  private static String canonical(String name) {
    var lower = name.strip().toLowerCase(Locale.ROOT);
    return ALIASES.getOrDefault(lower, lower);
  }

  /** The same rule, about the agent's own name where it names an agent. */
  static Rule canonical(Rule rule) {
    return rule.permission().equals("task")
        ? new Rule("task", canonical(rule.pattern()), rule.action())
        : rule;
  }

  /** The agents a task may be given to. */
  List<AgentDefinition> delegable() {
    return all.stream().filter(AgentDefinition::isDelegable).toList();
  }

  List<AgentDefinition> delegableWith(Permissions permissions) {
    return delegable().stream().filter(agent -> permissions.allow("task", agent.name())).toList();
  }

  /** The names of these, for a sentence. */
  static String names(List<AgentDefinition> agents) {
    return agents.isEmpty()
        ? "none"
        : agents.stream().map(AgentDefinition::name).collect(Collectors.joining(", "));
  }

  Optional<AgentDefinition> named(String name) {
    return all.stream().filter(agent -> agent.name().equals(name)).findFirst();
  }
}
