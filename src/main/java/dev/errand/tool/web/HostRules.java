package dev.errand.tool.web;

import dev.errand.permission.Wildcard;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The hosts that an operator lets be called, and those he does not. */
final class HostRules {

  private final Optional<List<Wildcard>> allowed;
  private final List<Wildcard> denied;

  HostRules(Optional<List<String>> allowed, Optional<List<String>> denied) {
    this.allowed = allowed.map(HostRules::patterns);
    this.denied = patterns(denied.orElse(List.of()));
  }

  /**
   * @param host as {@link #plain} writes it
   */
  boolean allow(String host) {
    return allowed.map(patterns -> fits(host, patterns)).orElse(true) && !fits(host, denied);
  }

  /** One spelling for each name: in lower case, without the dot of the root. */
  static String plain(String host) {
    var lower = host.toLowerCase(Locale.ROOT);
    return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
  }

  private static boolean fits(String host, List<Wildcard> patterns) {
    return patterns.stream().anyMatch(pattern -> pattern.matches(host));
  }

  private static List<Wildcard> patterns(List<String> hosts) {
    return hosts.stream().map(host -> new Wildcard(plain(host.strip()))).toList();
  }
}
