package dev.errand.agent;

import dev.errand.permission.Permissions;
import dev.errand.permission.Rule;
import dev.errand.permission.Wildcard;
import dev.errand.tool.FieldProblem;
import dev.errand.tool.ToolBox;
import dev.errand.tool.mcp.McpServers;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The names in permission rules of clients: tools, groups of tools, agents. A rule with a name that
 * does not exist would have no effect, so it is refused. Only tools of MCP servers may come later.
 */
@Singleton
public class PermissionNames {

  /** The permission whose pattern names a tool. */
  private static final String TOOL = "tool";

  private static final String MCP_PREFIX = "mcp__";

  /** The permissions whose patterns name agents. */
  private static final Set<String> OF_AGENTS = Set.of("task", "spawn");

  private final ToolBox toolBox;
  private final McpServers servers;
  private final Agents agents;

  PermissionNames(ToolBox toolBox, McpServers servers, Agents agents) {
    this.toolBox = toolBox;
    this.servers = servers;
    this.agents = agents;
  }

  /**
   * The result of the check of several rules.
   *
   * @param rules with the names as tools and agents have them; only those without a problem
   */
  public record CheckedRules(List<Rule> rules, List<FieldProblem> problems) {}

  /**
   * Checks rules that a client or a model gives in the field {@code permissions}.
   *
   * @param tenant whose agents they may name
   */
  public CheckedRules check(@Nullable List<Rule> given, String tenant) {
    var rules = new ArrayList<Rule>();
    var problems = new ArrayList<FieldProblem>();
    for (var rule : Objects.requireNonNullElse(given, List.<Rule>of())) {
      switch (check(rule, tenant)) {
        case CheckedRule.KnownNames known -> rules.add(known.rule());
        case CheckedRule.UnknownName unknown -> {
          var place = rules.size() + problems.size();
          var field = "permissions[%d].%s".formatted(place, unknown.field());
          problems.add(new FieldProblem(field, unknown.message()));
        }
      }
    }
    return new CheckedRules(rules, problems);
  }

  /** The result of the check of one rule. */
  private sealed interface CheckedRule {

    /** The rule with the names as tools and agents have them. */
    record KnownNames(Rule rule) implements CheckedRule {}

    /**
     * A name does not exist.
     *
     * @param field of the rule
     */
    record UnknownName(String field, String message) implements CheckedRule {}
  }

  /** Checks a rule. {@code {permission: tool, pattern: x}} is a rule for all calls of {@code x}. */
  private CheckedRule check(Rule given, String tenant) {
    if (given.permission().strip().equalsIgnoreCase(TOOL)) {
      return tool(given.pattern())
          .<CheckedRule>map(name -> new CheckedRule.KnownNames(new Rule(name, "*", given.action())))
          .orElseGet(() -> unknownTool("pattern", given.pattern()));
    }
    return tool(given.permission())
        .map(name -> subject(new Rule(name, given.pattern(), given.action()), tenant))
        .orElseGet(() -> unknownTool("permission", given.permission()));
  }

  private CheckedRule subject(Rule rule, String tenant) {
    if (!OF_AGENTS.contains(rule.permission())) {
      return new CheckedRule.KnownNames(rule);
    }
    var names = agents.of(tenant).all().stream().map(AgentDefinition::name).toList();
    return known(AgentCatalog.canonical(rule.pattern()), names.stream())
        .<CheckedRule>map(
            name -> new CheckedRule.KnownNames(new Rule(rule.permission(), name, rule.action())))
        .orElseGet(() ->
            new CheckedRule.UnknownName(
                "pattern",
                "unknown agent '%s'; agents: %s, also with * for any characters"
                    .formatted(rule.pattern(), String.join(", ", names))));
  }

  private Optional<String> tool(String given) {
    var name = ToolGrant.name(given.strip());
    return given.strip().toLowerCase(Locale.ROOT).startsWith(MCP_PREFIX) || servers.mayOffer(name)
        ? Optional.of(name)
        : known(name, Stream.concat(toolBox.registered().stream(), groups()));
  }

  /**
   * Returns the name as one of {@code all} has it; a name with {@code *} must match one of them.
   */
  private static Optional<String> known(String name, Stream<String> all) {
    var lower = name.toLowerCase(Locale.ROOT);
    var wildcard = new Wildcard(lower);
    return all.filter(one -> wildcard.matches(one.toLowerCase(Locale.ROOT)))
        .findFirst()
        .map(one -> lower.contains("*") ? lower : one);
  }

  private CheckedRule unknownTool(String field, String given) {
    return new CheckedRule.UnknownName(
        field,
        "unknown name '%s'; tools: %s; groups: %s; mcp__<server>__<tool>; also with * for any characters"
            .formatted(given, names(toolBox.registered()), names(groups().toList())));
  }

  private Stream<String> groups() {
    return Stream.concat(servers.groups().stream(), Stream.of(Permissions.BASH_CHANGES));
  }

  private static String names(List<String> names) {
    return String.join(", ", names);
  }
}
