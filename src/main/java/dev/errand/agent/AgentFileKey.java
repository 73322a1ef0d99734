package dev.errand.agent;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The keys of agent files that have an effect. Case, spaces, {@code _} and {@code -} do not matter:
 * {@code maxTurns} may be written {@code max_turns} or {@code Max Turns}.
 */
enum AgentFileKey {
  NAME("name"),
  DESCRIPTION("description"),
  MODE("mode"),
  MODEL("model"),
  TOOLS("tools"),
  DISALLOWED_TOOLS("disallowedTools"),
  SUBAGENTS("subagents"),
  PERMISSIONS("permissions", "permission"),
  SKILLS("skills"),
  MCP_SERVERS("mcpServers"),
  HOOKS("hooks"),
  MAX_TURNS("maxTurns", "maxSteps"),
  MAX_RETRIES("maxRetries"),
  TIMEOUT_MS("timeoutMs", "timeout"),
  ISOLATION("isolation");

  /** What means the same with or without these keys, as long as they have no value. */
  private static final Set<AgentFileKey> MAY_BE_EMPTY =
      EnumSet.of(NAME, MODE, MODEL, SKILLS, MAX_TURNS, MAX_RETRIES, TIMEOUT_MS);

  private final List<String> spellings;

  AgentFileKey(String... spellings) {
    this.spellings = List.of(spellings);
  }

  String spelling() {
    return spellings.getFirst();
  }

  /**
   * Returns whether the key without a value counts as absent. Of keys for rights, that is unclear.
   */
  boolean mayBeEmpty() {
    return MAY_BE_EMPTY.contains(this);
  }

  static Optional<AgentFileKey> of(String key) {
    return Arrays.stream(values())
        .filter(known -> known.spellings.stream().anyMatch(spelling -> same(spelling, key)))
        .findFirst();
  }

  /** Lists all keys for use in error messages. */
  static String known() {
    return Arrays.stream(values()).map(AgentFileKey::spelling).collect(Collectors.joining(", "));
  }

  /** Returns whether these are spellings of the same key. */
  static boolean same(String one, String other) {
    return plain(one).equals(plain(other));
  }

  static String plain(String key) {
    return key.replaceAll("[-_\\s]", "").toLowerCase(Locale.ROOT);
  }
}
