package dev.errand.agent;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The keys that agents' files may have (G3). {@code maxTurns} may be written {@code max_turns} and
 * {@code max-turns}, too.
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
  MAX_TURNS("maxTurns"),
  MAX_RETRIES("maxRetries"),
  TIMEOUT_MS("timeoutMs", "timeout");

  /** What such files may say to other products and nothing to this one. */
  private static final List<String> IGNORED =
      List.of(
          "permissionMode",
          "hooks",
          "memory",
          "background",
          "isolation",
          "effort",
          "color",
          "initialPrompt");

  private final List<String> spellings;

  AgentFileKey(String... spellings) {
    this.spellings = List.of(spellings);
  }

  String word() {
    return spellings.getFirst();
  }

  static Optional<AgentFileKey> of(String key) {
    return Arrays.stream(values())
        .filter(known -> known.spellings.stream().anyMatch(word -> same(word, key)))
        .findFirst();
  }

  static boolean isIgnored(String key) {
    return IGNORED.stream().anyMatch(word -> same(word, key));
  }

  /** All keys that mean something here, for a sentence. */
  static String known() {
    return Arrays.stream(values()).map(AgentFileKey::word).collect(Collectors.joining(", "));
  }

  private static boolean same(String one, String other) {
    return plain(one).equals(plain(other));
  }

  private static String plain(String key) {
    return key.replace("_", "").replace("-", "").toLowerCase(Locale.ROOT);
  }
}
