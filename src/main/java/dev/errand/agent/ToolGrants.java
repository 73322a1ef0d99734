package dev.errand.agent;

import dev.errand.markdown.FrontMatter;
import dev.errand.permission.Rule;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/**
 * Reads what an agent's file says of tools as rules: first {@code tools}, then {@code
 * disallowedTools}, then {@code permissions}.
 */
final class ToolGrants {

  private static final List<String> RULE_KEYS = List.of("permission", "pattern", "action");

  private final FrontMatter matter;
  private final AgentFields fields;
  private final Function<String, Optional<String>> toolNames;
  private final AgentFileDiagnostics notes;

  /**
   * @param toolNames what a tool is called exactly; empty when there is none of that name
   */
  ToolGrants(
      FrontMatter matter,
      AgentFields fields,
      Function<String, Optional<String>> toolNames,
      AgentFileDiagnostics notes) {
    this.matter = matter;
    this.fields = fields;
    this.toolNames = toolNames;
    this.notes = notes;
  }

  /**
   * @param delegates whether the file names subagents: then its list of tools need not name those
   *     for delegating
   */
  List<Rule> rules(boolean delegates) {
    var rules = new ArrayList<Rule>();
    fields.words(AgentFileKey.TOOLS).ifPresent(words -> rules.addAll(allowList(words, delegates)));
    for (var word : fields.words(AgentFileKey.DISALLOWED_TOOLS).orElse(List.of())) {
      rules.addAll(grant(word).rules(Rule.Action.DENY));
    }
    fields.entries(AgentFileKey.PERMISSIONS).forEach(entry -> rules.add(rule(entry)));
    return rules.stream().map(AgentCatalog::canonical).toList();
  }

  /** Everything else is denied (P4). */
  private List<Rule> allowList(List<AgentFields.Word> words, boolean delegates) {
    var rules = new ArrayList<>(List.of(Rule.deny("*")));
    var grants = words.stream().map(this::allowed).toList();
    grants.forEach(grant -> rules.addAll(grant.rules(Rule.Action.ALLOW)));
    if (delegates || grants.stream().anyMatch(grant -> grant.tool().equals("task"))) {
      AgentDefinition.DELEGATION.stream().sorted().map(Rule::allow).forEach(rules::add);
    }
    return rules;
  }

  private ToolGrant allowed(AgentFields.Word word) {
    var grant = grant(word);
    if (AgentDefinition.DELEGATION.contains(grant.tool()) && !grant.isUnlimited()) {
      throw fields.broken(
          word.line(), "'" + word.text() + "': name the agents it may use in 'subagents'");
    }
    return grant;
  }

  private ToolGrant grant(AgentFields.Word word) {
    var grant =
        ToolGrant.of(word.text())
            .orElseThrow(() ->
                fields.broken(
                    word.line(),
                    "'"
                        + word.text()
                        + "' is no tool; write name or name(pattern), with commas between several"));
    return grant.withName(canonical(grant, word));
  }

  private String canonical(ToolGrant grant, AgentFields.Word word) {
    var lower = grant.tool().toLowerCase(Locale.ROOT);
    if (grant.isSeveral()) {
      return grant.tool();
    }
    if (AgentDefinition.DELEGATION.contains(lower)) {
      return lower;
    }
    var known = toolNames.apply(grant.tool());
    if (known.isEmpty()) {
      notes.warn(
          matter.file(),
          word.line(),
          "there is no tool '" + word.text() + "' here, at least not now");
    }
    return known.orElse(grant.tool());
  }

  /** {@code {permission, pattern, action}}; without a pattern it is about every call. */
  private Rule rule(Node entry) {
    var parts = parts(entry);
    var permission = parts.get("permission");
    var action = parts.get("action");
    if (permission == null || action == null) {
      throw fields.broken(FrontMatter.line(entry), "a rule needs permission and action");
    }
    var pattern = parts.get("pattern");
    return new Rule(
        grant(permission).tool(), pattern == null ? "*" : pattern.text(), action(action));
  }

  private Map<String, AgentFields.Word> parts(Node entry) {
    if (!(entry instanceof MappingNode mapping)) {
      throw fields.broken(
          FrontMatter.line(entry), "a rule must have permission, pattern and action");
    }
    var parts = new HashMap<String, AgentFields.Word>();
    for (var pair : mapping.getValue()) {
      var line = FrontMatter.line(pair.getKeyNode());
      var key = pair.getKeyNode() instanceof ScalarNode scalar ? scalar.getValue() : "";
      if (!RULE_KEYS.contains(key)) {
        throw fields.broken(
            line, "'" + key + "' is unknown in a rule; known: " + String.join(", ", RULE_KEYS));
      }
      if (parts.put(key, fields.word(AgentFileKey.PERMISSIONS, pair.getValueNode())) != null) {
        throw fields.broken(line, "'" + key + "' is given twice in a rule");
      }
    }
    return parts;
  }

  private Rule.Action action(AgentFields.Word word) {
    return switch (word.text().toLowerCase(Locale.ROOT)) {
      case "allow" -> Rule.Action.ALLOW;
      case "deny" -> Rule.Action.DENY;
      default -> throw fields.broken(word.line(), "the action of a rule must be allow or deny");
    };
  }
}
