package dev.errand.tool.mcp;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;

/**
 * The names under which models see a server's tools: {@code <server>_<tool>}, at most 64 characters
 * of the set that all providers accept. A name that was cut, or that is already in use, ends with a
 * few digits derived from the original name.
 */
final class ToolNames {

  private static final int MAX_CHARS = 64;
  private static final int DIGITS = 8;

  private final String prefix;
  private final Set<String> given = new HashSet<>();

  ToolNames(String server) {
    this.prefix = prefix(server);
  }

  /** Returns the prefix of all tool names of a server. */
  static String prefix(String server) {
    return server + "_";
  }

  /** Returns a name that is unique regardless of case. */
  String name(String remoteName) {
    var plain = prefix + remoteName.replaceAll("[^a-zA-Z0-9_-]", "_");
    if (plain.length() <= MAX_CHARS && given.add(plain.toLowerCase(Locale.ROOT))) {
      return plain;
    }
    var room = MAX_CHARS - DIGITS - 1;
    var cut = plain.length() > room ? plain.substring(0, room) : plain;
    var name = cut + "_" + digits(remoteName);
    given.add(name.toLowerCase(Locale.ROOT));
    return name;
  }

  private static String digits(String remoteName) {
    return UUID.nameUUIDFromBytes(remoteName.getBytes(StandardCharsets.UTF_8))
        .toString()
        .substring(0, DIGITS);
  }
}
