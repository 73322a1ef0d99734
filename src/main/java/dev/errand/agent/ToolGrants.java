package dev.errand.agent;

import dev.errand.markdown.YamlField;
import dev.errand.permission.Rule;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * Reads the tools of an agent file as rules: first {@code tools}, then {@code disallowedTools},
 * then {@code permissions}. A mapping in place of a list is read by {@link ToolSwitches}.
 */
final class ToolGrants {

  /** What some files write for {@code *}. */
  private static final String ALL = "all";

  private static final List<String> RULE_KEYS = List.of("permission", "pattern", "action");

  private final AgentFields fields;
  private final Function<String, Optional<String>> toolNames;
  private final Predicate<String> isGroup;
  private final AgentFileDiagnostics diagnostics;
  private final ToolSwitches switches;
  private final List<FieldText> agents = new ArrayList<>();

  /**
   * @param toolNames returns the exact name of a tool; empty if there is none
   * @param isGroup whether a name in lower case is that of a group of tools
   */
  ToolGrants(
      AgentFields fields,
      Function<String, Optional<String>> toolNames,
      Predicate<String> isGroup,
      AgentFileDiagnostics diagnostics) {
    this.fields = fields;
    this.toolNames = toolNames;
    this.isGroup = isGroup;
    this.diagnostics = diagnostics;
    this.switches = new ToolSwitches(fields, this::tool, this::noteAgent, diagnostics);
  }

  /**
   * @param delegates whether the file names subagents; then {@code tools} need not list the tools
   *     for delegating
   */
  List<Rule> rules(boolean delegates) {
    var rules = new ArrayList<Rule>();
    fields
        .field(AgentFileKey.TOOLS)
        .ifPresent(field ->
            rules.addAll(
                field.value() instanceof MappingNode
                    ? switches.read(field)
                    : allowList(fields.tools(), delegates)));
    for (var entry : fields.texts(AgentFileKey.DISALLOWED_TOOLS).orElse(List.of())) {
      rules.addAll(rules(grant(entry), Rule.Action.DENY, entry));
    }
    fields.field(AgentFileKey.PERMISSIONS).ifPresent(field -> rules.addAll(permissions(field)));
    return rules.stream().map(AgentCatalog::canonical).toList();
  }

  private List<Rule> permissions(YamlField field) {
    return field.value() instanceof SequenceNode list
        ? list.getValue().stream().map(this::rule).toList()
        : switches.read(field);
  }

  /** Returns the agents that rules name, each with its line. */
  List<FieldText> agents() {
    return List.copyOf(agents);
  }

  private List<Rule> rules(ToolGrant grant, Rule.Action action, FieldText entry) {
    var rules = grant.rules(action);
    rules.forEach(rule -> noteAgent(rule, entry.line()));
    return rules;
  }

  private Rule noteAgent(Rule rule, int line) {
    if (rule.permission().equals("task") && !rule.pattern().contains("*")) {
      agents.add(new FieldText(rule.pattern(), line));
    }
    return rule;
  }

  /** Tools that are not listed are denied. */
  private List<Rule> allowList(List<FieldText> entries, boolean delegates) {
    var rules = new ArrayList<>(List.of(Rule.deny("*")));
    var grants = entries.stream().map(this::allowed).toList();
    grants.forEach(grant -> rules.addAll(grant.rules(Rule.Action.ALLOW)));
    if (delegates || grants.stream().anyMatch(grant -> grant.tool().equals("task"))) {
      AgentDefinition.DELEGATION.stream().sorted().map(Rule::allow).forEach(rules::add);
    }
    return rules;
  }

  private ToolGrant allowed(FieldText entry) {
    var grant = grant(entry);
    if (AgentDefinition.DELEGATION.contains(grant.tool())
        && !grant.tool().equals("task")
        && !grant.isUnlimited()) {
      throw fields.broken(
          entry.line(),
          "'" + entry.text() + "': name the agents it may use in 'subagents' or with 'Task(name)'");
    }
    return grant;
  }

  private ToolGrant grant(FieldText entry) {
    var grant =
        ToolGrant.of(entry.text())
            .orElseThrow(() ->
                fields.broken(
                    entry.line(),
                    "'"
                        + entry.text()
                        + "' is not a tool; write name or name(pattern), with commas between"
                        + " several"));
    return grant.withName(exactName(grant, entry));
  }

  private String exactName(ToolGrant grant, FieldText entry) {
    var lower = grant.tool().toLowerCase(Locale.ROOT);
    if (lower.equals(ALL)) {
      return "*";
    }
    if (grant.isSeveral()) {
      warnAboutGroup(lower, entry);
      return grant.tool();
    }
    if (AgentDefinition.DELEGATION.contains(lower)) {
      return lower;
    }
    var known = toolNames.apply(grant.tool());
    if (known.isEmpty()) {
      diagnostics.warn(
          fields.file(), entry.line(), "there is no tool '" + entry.text() + "' at the moment");
    }
    return known.orElse(grant.tool());
  }

  private void warnAboutGroup(String group, FieldText entry) {
    if (group.contains(":") && !group.contains("*") && !isGroup.test(group)) {
      diagnostics.warn(
          fields.file(), entry.line(), "there is no group of tools '" + entry.text() + "'");
    }
  }

  /**
   * Reads {@code {permission, pattern, action}}; without a pattern the rule covers every call.
   * {@code {permission: tool, pattern: x}} covers every call of the tool {@code x}, and without a
   * pattern every call of all tools.
   */
  private Rule rule(Node entry) {
    var parts = parts(entry);
    var permission = parts.get("permission");
    var action = parts.get("action");
    if (permission == null || action == null) {
      throw fields.broken(YamlField.line(entry), "a rule must have permission and action");
    }
    var pattern = parts.get("pattern");
    if (permission.text().equalsIgnoreCase("tool")) {
      return new Rule(pattern == null ? "*" : tool(pattern), "*", action(action));
    }
    var rule = new Rule(tool(permission), pattern == null ? "*" : pattern.text(), action(action));
    return noteAgent(rule, (pattern == null ? permission : pattern).line());
  }

  /**
   * Returns the tool of a rule. A pattern in parentheses is refused, because a rule has its own.
   */
  private String tool(FieldText entry) {
    var grant = grant(entry);
    if (!grant.isUnlimited()) {
      throw fields.broken(
          entry.line(),
          "'%s' in a rule must not have parentheses; write permission: %s, pattern: '%s'"
              .formatted(entry.text(), grant.tool(), grant.patterns().getLast()));
    }
    return grant.tool();
  }

  private Map<String, FieldText> parts(Node entry) {
    if (!(entry instanceof MappingNode)) {
      throw fields.broken(YamlField.line(entry), "a rule must have permission, pattern and action");
    }
    var parts = new HashMap<String, FieldText>();
    var rule = new YamlField(AgentFileKey.PERMISSIONS.spelling(), YamlField.line(entry), entry);
    for (var part : rule.fields(fields.file())) {
      if (!RULE_KEYS.contains(part.key())) {
        throw fields.broken(
            part.line(),
            "'%s' is unknown in a rule; known keys: %s"
                .formatted(part.key(), String.join(", ", RULE_KEYS)));
      }
      if (parts.put(part.key(), fields.text(part, AgentFileKey.PERMISSIONS.spelling())) != null) {
        throw fields.broken(part.line(), "'" + part.key() + "' is given twice in a rule");
      }
    }
    return parts;
  }

  private Rule.Action action(FieldText action) {
    return switch (action.text().toLowerCase(Locale.ROOT)) {
      case "allow" -> Rule.Action.ALLOW;
      case "deny" -> Rule.Action.DENY;
      default -> throw fields.broken(action.line(), "the action of a rule must be allow or deny");
    };
  }
}
