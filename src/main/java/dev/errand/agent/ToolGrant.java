package dev.errand.agent;

import dev.errand.permission.Rule;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * One entry of a list of tools: {@code read}, {@code Bash(git:*)}, {@code mcp__github__get_issue}.
 *
 * @param tool its name here, or a pattern of names
 * @param patterns what a call must be about
 */
record ToolGrant(String tool, List<String> patterns) {

  private static final Pattern FORM = Pattern.compile("([A-Za-z0-9_*.:-]+)(?:\\((.*)\\))?");

  /** Names that other products use for tools of ours. */
  private static final Map<String, String> NAMES =
      Map.of("multiedit", "edit", "ls", "list", "agent", "task");

  private static final String PREFIX_MARK = ":*";
  private static final String DOMAIN_MARK = "domain:";
  private static final String FETCH = "webfetch";

  /** Empty when {@code text} is no such entry. */
  static Optional<ToolGrant> of(String text) {
    var form = FORM.matcher(text);
    if (!form.matches()) {
      return Optional.empty();
    }
    var about = form.group(2);
    var tool = name(form.group(1));
    return about == null || about.isBlank()
        ? Optional.of(new ToolGrant(tool, List.of("*")))
        : patterns(tool, about.strip()).map(patterns -> new ToolGrant(tool, patterns));
  }

  /** What a tool is called here, but for upper and lower case. */
  static String name(String given) {
    if (given.startsWith("mcp__")) {
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

  /** Whether it stands for more than one tool; a group's name has a colon. */
  boolean isSeveral() {
    return tool.contains("*") || tool.contains(":");
  }

  /**
   * {@code git:*} is the command git with anything behind it; {@code domain:} stands before hosts.
   */
  private static Optional<List<String>> patterns(String tool, String about) {
    if (about.startsWith(DOMAIN_MARK)) {
      var host = about.substring(DOMAIN_MARK.length()).strip().toLowerCase(Locale.ROOT);
      return tool.equalsIgnoreCase(FETCH) && !host.isEmpty()
          ? Optional.of(List.of(host))
          : Optional.empty();
    }
    if (about.endsWith(PREFIX_MARK)) {
      var prefix = about.substring(0, about.length() - PREFIX_MARK.length());
      return Optional.of(List.of(prefix, prefix + " *"));
    }
    return Optional.of(List.of(about.replaceFirst("^\\./", "")));
  }
}
