package dev.errand.agent;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The keys of agent files that have an effect. Case, {@code _} and {@code -} do not matter: {@code
 * maxTurns} may be written {@code max_turns} or {@code max-turns}.
 */
enum AgentFileKey {
  NAME("name"),
  DESCRIPTION("description"),
  MODE("mode"),
  MODEL("model"),
  TOOLS("tools"),
  DISALLOWED_TOOLS("disallowedTools"),
  SUBAGENTS("subagents"),
  PERMISSIONS("permissions"),
  SKILLS("skills"),
  MCP_SERVERS("mcpServers"),
  HOOKS("hooks"),
  MAX_TURNS("maxTurns"),
  MAX_RETRIES("maxRetries"),
  TIMEOUT_MS("timeoutMs", "timeout"),
  ISOLATION("isolation");

  private final List<String> spellings;

  AgentFileKey(String... spellings) {
    this.spellings = List.of(spellings);
  }

  String spelling() {
    return spellings.getFirst();
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

  /** Whether these are spellings of the same key. */
  static boolean same(String one, String other) {
    return plain(one).equals(plain(other));
  }

  private static String plain(String key) {
    return key.replace("_", "").replace("-", "").toLowerCase(Locale.ROOT);
  }
}
