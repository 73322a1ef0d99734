package dev.errand.tool.mcp;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;

/**
 * The names by which models know a server's tools: {@code <server>_<tool>}, at most 64 of the
 * characters that all providers take. What was changed or cut may be equal, so then a few digits
 * that depend on the whole name follow.
 */
final class ToolNames {

  private static final int MAX_CHARS = 64;
  private static final int DIGITS = 8;

  private final String prefix;
  private final Set<String> given = new HashSet<>();

  ToolNames(String server) {
    this.prefix = prefix(server);
  }

  /** What all names of a server's tools begin with. */
  static String prefix(String server) {
    return server + "_";
  }

  /** A name that this has not given before, in upper or lower case. */
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
