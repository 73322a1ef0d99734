package dev.errand.agent;

import dev.errand.markdown.BrokenFile;
import dev.errand.markdown.YamlField;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * Reads the hooks of an agent file, as Claude Code writes them:
 *
 * <pre>{@code
 * hooks:
 *   PreToolUse:
 *     - matcher: "Bash|mcp__db__.*"
 *       hooks:
 *         - type: command
 *           command: /opt/hooks/check.sh
 *           timeout: 10
 * }</pre>
 *
 * <p>What would not have the effect that it has there is refused: a hook that is not asked protects
 * nothing.
 */
final class AgentHooks {

  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final int MAX_SECONDS = 600;

  /** Names, and {@code *} or {@code .*} for any characters. */
  private static final Pattern MATCHER = Pattern.compile("(?:[\\w:/ -]|\\.?\\*)*");

  /** Where scripts of a project lie in Claude Code; here that is the agent's workspace. */
  private static final String PROJECT = "CLAUDE_PROJECT_DIR";

  /** The names in Claude Code that are not also names here. */
  private static final Map<String, String> TOOLS = Map.of("ls", "list", "agent", "task");

  private final String agent;
  private final AgentFields fields;
  private final AgentFileContext context;
  private final Predicate<String> isTool;
  private final AgentFileDiagnostics diagnostics;
  private final HookFields parts;
  private final List<AgentHook> hooks = new ArrayList<>();

  /**
   * @param isTool whether there is a tool of this name
   */
  AgentHooks(
      String agent,
      AgentFields fields,
      AgentFileContext context,
      Predicate<String> isTool,
      AgentFileDiagnostics diagnostics) {
    this.agent = agent;
    this.isTool = isTool;
    this.fields = fields;
    this.context = context;
    this.diagnostics = diagnostics;
    this.parts = new HookFields(fields.file());
  }

  /**
   * @throws BrokenFile the hooks are not allowed, or not supported
   */
  List<AgentHook> read() {
    var field = fields.raw(AgentFileKey.HOOKS);
    if (field.isEmpty()) {
      return List.of();
    }
    if (UnsupportedKeys.isEmpty(field.get())) {
      diagnostics.info(
          fields.file(), field.get().line(), "'" + field.get().key() + "' has no effect");
      return List.of();
    }
    if (!context.hooks()) {
      throw fields.broken(
          field.get().line(),
          "'hooks' is not supported unless errand.hooks.from-agent-files=true, and a call that a"
              + " hook would deny would be made; set it if you trust this file to run commands, or"
              + " remove the key and use 'tools', 'disallowedTools' or 'permissions'");
    }
    parts.mapping(field.get(), "hooks").values().forEach(this::readEvent);
    return List.copyOf(hooks);
  }

  private void warnAboutUnknownTools(YamlField matcher, List<String> names) {
    names.stream()
        .filter(this::isUnknownTool)
        .distinct()
        .forEach(name ->
            diagnostics.warn(
                fields.file(),
                matcher.line(),
                "'hooks' names the tool '" + name + "', and there is no such tool at the moment"));
  }

  private boolean isUnknownTool(String name) {
    return !name.contains("*")
        && !name.startsWith("mcp__")
        && !isTool.test(TOOLS.getOrDefault(name.toLowerCase(Locale.ROOT), name));
  }

  private void readEvent(YamlField field) {
    var path = "hooks." + field.key();
    var event =
        AgentHook.HookedEvent.of(field.key())
            .orElseThrow(() ->
                parts.broken(
                    field, path, "is not supported; supported: " + AgentHook.HookedEvent.keys()));
    for (var group : parts.entries(field, path)) {
      var entries = parts.known(group, path, List.of("matcher", "hooks"));
      var matcher = entries.get("matcher");
      var names = matcher == null ? List.<String>of() : names(matcher, path + ".matcher");
      if (matcher != null && event.isOfTool()) {
        warnAboutUnknownTools(matcher, names);
      }
      var inner = entries.get("hooks");
      if (inner == null) {
        throw parts.broken(group, path, "has an entry without 'hooks'");
      }
      parts.entries(inner, path).forEach(hook -> add(event, names, path, hook));
    }
  }

  private void add(AgentHook.HookedEvent event, List<String> names, String path, YamlField entry) {
    var hook = parts.mapping(entry, path);
    var type = hook.get("type");
    if (type == null || !parts.text(type, path + ".type").equals("command")) {
      throw parts.broken(
          type == null ? entry : type, path, "has a hook that is not of the type 'command'");
    }
    parts.known(entry, path, List.of("type", "command", "timeout", "statusMessage"));
    var given = hook.get("command");
    if (given == null) {
      throw parts.broken(entry, path, "has a hook without 'command'");
    }
    var command = command(given, path + ".command");
    var timeout = hook.get("timeout");
    hooks.add(
        new AgentHook(
            name(event, names, command),
            agent,
            event,
            names,
            command,
            timeout == null ? TIMEOUT : seconds(timeout, path + ".timeout")));
  }

  /**
   * Queued events refer to their hook by name. So the name does not depend on the other hooks of
   * the file, unless they are equal.
   */
  private String name(AgentHook.HookedEvent event, List<String> names, String command) {
    var hash = (String.join("|", names) + "\n" + command).hashCode();
    var name = "%s:%s:%08x".formatted(agent, event.key(), hash);
    var equal = hooks.stream().filter(hook -> hook.name().startsWith(name)).count();
    return equal == 0 ? name : name + ":" + (equal + 1);
  }

  private String command(YamlField field, String path) {
    var command = parts.text(field, path);
    if (command.contains(PROJECT)) {
      throw parts.broken(
          field,
          path,
          "uses "
              + PROJECT
              + ", which would be the agent's workspace, where agents could change it; give an absolute path");
    }
    context
        .roots()
        .changeable(Arrays.asList(command.replaceAll("[\"';|&()<>]", " ").strip().split("\\s+")))
        .ifPresent(problem -> {
          throw parts.broken(field, path, problem);
        });
    return command;
  }

  /**
   * Returns the names that {@code |} separates; a pattern that needs another regular expression is
   * refused.
   */
  private List<String> names(YamlField field, String path) {
    var matcher = field.value() instanceof ScalarNode scalar ? scalar.getValue().strip() : "?";
    var names = List.of(matcher.split("\\|", -1));
    if (names.stream().anyMatch(name -> !MATCHER.matcher(name).matches())) {
      throw parts.broken(
          field,
          path,
          "must be names separated by |, with * for any characters; no other patterns");
    }
    var patterns = names.stream().map(name -> name.strip().replace(".*", "*")).toList();
    return patterns.contains("") || patterns.contains("*") ? List.of() : patterns;
  }

  private Duration seconds(YamlField field, String path) {
    if (field.value() instanceof ScalarNode scalar
        && scalar.getTag().equals(Tag.INT)
        && scalar.getValue().matches("\\d{1,4}")) {
      var seconds = Integer.parseInt(scalar.getValue());
      if (seconds >= 1 && seconds <= MAX_SECONDS) {
        return Duration.ofSeconds(seconds);
      }
    }
    throw parts.broken(field, path, "must be a whole number of seconds from 1 to " + MAX_SECONDS);
  }
}
