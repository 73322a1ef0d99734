package dev.errand.agent;

import dev.errand.permission.Rule;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * An entry of a list of tools: {@code read}, {@code Bash(git:*)}, {@code mcp__github__get_issue}.
 *
 * @param tool the name of the tool, or a pattern of names
 * @param patterns what the subject of a call must match
 */
record ToolGrant(String tool, List<String> patterns) {

  private static final Pattern FORM = Pattern.compile("([A-Za-z0-9_*.:-]+)(?:\\((.*)\\))?");

  /** Names of our tools in other products. */
  private static final Map<String, String> NAMES =
      Map.of("multiedit", "edit", "ls", "list", "agent", "task", "task", "task");

  private static final String PREFIX_MARK = ":*";
  private static final String DOMAIN_MARK = "domain:";
  private static final String FETCH = "webfetch";
  private static final String TASK = "task";

  /** Parses an entry; empty if the text is not one. */
  static Optional<ToolGrant> of(String text) {
    var form = FORM.matcher(text);
    if (!form.matches()) {
      return Optional.empty();
    }
    var pattern = form.group(2);
    var tool = name(form.group(1));
    return pattern == null || pattern.isBlank()
        ? Optional.of(new ToolGrant(tool, List.of("*")))
        : patterns(tool, pattern.strip()).map(patterns -> new ToolGrant(tool, patterns));
  }

  /** Returns the name of a tool here, regardless of case. */
  static String name(String given) {
    if (given.toLowerCase(Locale.ROOT).startsWith("mcp__")) {
      var rest = given.substring("mcp__".length());
      return rest.contains("__") ? rest.replaceFirst("__", "_") : rest + "_*";
    }
    return NAMES.getOrDefault(given.toLowerCase(Locale.ROOT), given);
  }

  ToolGrant withName(String name) {
    return new ToolGrant(name, patterns);
  }

  List<Rule> rules(Rule.Action action) {
    return patterns.stream().map(pattern -> new Rule(tool, pattern, action)).toList();
  }

  boolean isUnlimited() {
    return patterns.equals(List.of("*"));
  }

  /** Returns whether it covers more than one tool; the name of a group contains a colon. */
  boolean isSeveral() {
    return tool.contains("*") || tool.contains(":");
  }

  /**
   * {@code git:*} is the command git with any arguments, {@code domain:x} is a host, and tasks take
   * several agents, separated by commas.
   */
  private static Optional<List<String>> patterns(String tool, String pattern) {
    if (tool.equals(TASK)) {
      var agents = Arrays.stream(pattern.split(",", -1)).map(String::strip).toList();
      return agents.contains("") ? Optional.empty() : Optional.of(agents);
    }
    if (pattern.startsWith(DOMAIN_MARK)) {
      var host = pattern.substring(DOMAIN_MARK.length()).strip().toLowerCase(Locale.ROOT);
      return tool.equalsIgnoreCase(FETCH) && !host.isEmpty()
          ? Optional.of(List.of(host))
          : Optional.empty();
    }
    if (pattern.endsWith(PREFIX_MARK)) {
      var prefix = pattern.substring(0, pattern.length() - PREFIX_MARK.length());
      return Optional.of(List.of(prefix, prefix + " *"));
    }
    return Optional.of(List.of(pattern.replaceFirst("^\\./", "")));
  }
}
