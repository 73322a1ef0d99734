package dev.errand.agent;

import static java.util.Comparator.comparing;

import dev.errand.markdown.YamlField;
import dev.errand.permission.Rule;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/**
 * Reads the tools that a file switches on and off by name, as OpenCode writes them in {@code tools}
 * and {@code permission}; what it does not name is allowed.
 *
 * <pre>{@code
 * permission:
 *   edit: deny
 *   bash:
 *     "*": deny
 *     "git diff *": allow
 * }</pre>
 */
final class ToolSwitches {

  private static final String EXPECTED =
      "'%s' must be true, false, allow, ask or deny, or lines of the form 'pattern: allow'";

  /** There, {@code edit} and {@code write} are one permission. */
  private static final List<String> EDITING = List.of("edit", "write");

  private final AgentFields fields;
  private final Function<FieldText, String> tools;
  private final BiFunction<Rule, Integer, Rule> noted;
  private final AgentFileDiagnostics diagnostics;
  private boolean asked;

  /**
   * @param tools returns the exact name of a tool
   * @param noted is told each rule with its line, and returns it
   */
  ToolSwitches(
      AgentFields fields,
      Function<FieldText, String> tools,
      BiFunction<Rule, Integer, Rule> noted,
      AgentFileDiagnostics diagnostics) {
    this.fields = fields;
    this.tools = tools;
    this.noted = noted;
    this.diagnostics = diagnostics;
  }

  /**
   * Returns the rules in the order of the file; of those that match, the last one decides. An entry
   * {@code *} that allows comes first, so that it never takes back what another one denies.
   *
   * @param field names tools, or is one action for all of them
   */
  List<Rule> read(YamlField field) {
    if (field.value() instanceof ScalarNode) {
      return List.of(new Rule("*", "*", action(field, field.key())));
    }
    var tools = field.fields(fields.file());
    if (tools.isEmpty()) {
      throw fields.broken(field.line(), "'" + field.key() + "' has no entries");
    }
    var namesWrite = tools.stream().anyMatch(tool -> tool.key().equalsIgnoreCase("write"));
    return generalFirst(
        tools.stream().flatMap(tool -> rules(tool, field.key(), namesWrite).stream()).toList(),
        Rule::permission);
  }

  private List<Rule> rules(YamlField tool, String key, boolean namesWrite) {
    var place = key + "." + tool.key();
    var name = tools.apply(new FieldText(tool.key().strip(), tool.line()));
    var rules =
        tool.value() instanceof MappingNode
            ? tool.fields(fields.file()).stream()
                .map(pattern -> rule(name, pattern.key(), pattern, place + "." + pattern.key()))
                .toList()
            : List.of(rule(name, "*", tool, place));
    return generalFirst(rules, Rule::pattern).stream()
        .flatMap(rule -> editing(rule, namesWrite))
        .toList();
  }

  private static List<Rule> generalFirst(List<Rule> rules, Function<Rule, String> name) {
    return rules.stream()
        .sorted(
            comparing(
                rule -> rule.action() == Rule.Action.DENY || !name.apply(rule).equals("*") ? 1 : 0))
        .toList();
  }

  /** There, one permission covers both tools; here, one that allows must not undo the other. */
  private static Stream<Rule> editing(Rule rule, boolean namesWrite) {
    var covers =
        EDITING.contains(rule.permission())
            && (rule.action() == Rule.Action.DENY
                || (rule.permission().equals("edit") && !namesWrite));
    return covers
        ? EDITING.stream().map(name -> new Rule(name, rule.pattern(), rule.action()))
        : Stream.of(rule);
  }

  private Rule rule(String tool, String pattern, YamlField field, String place) {
    return noted.apply(new Rule(tool, pattern, action(field, place)), field.line());
  }

  private Rule.Action action(YamlField field, String place) {
    var given = field.value() instanceof ScalarNode scalar ? scalar.getValue().strip() : "";
    return switch (given.toLowerCase(Locale.ROOT)) {
      case "true", "allow" -> Rule.Action.ALLOW;
      case "false", "deny" -> Rule.Action.DENY;
      case "ask" -> {
        warnOnce(field, place);
        yield Rule.Action.DENY;
      }
      default -> throw fields.broken(field.line(), EXPECTED.formatted(place));
    };
  }

  private void warnOnce(YamlField field, String place) {
    if (!asked) {
      diagnostics.warn(
          fields.file(), field.line(), "'" + place + ": ask' denies, because no user is asked");
    }
    asked = true;
  }
}
