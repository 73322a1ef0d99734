package dev.errand.tool.web;

import dev.errand.permission.Wildcard;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The hosts that the operator allows and denies. */
final class HostRules {

  private final Optional<List<Wildcard>> allowed;
  private final List<Wildcard> denied;

  HostRules(Optional<List<String>> allowed, Optional<List<String>> denied) {
    this.allowed = allowed.map(HostRules::patterns);
    this.denied = patterns(denied.orElse(List.of()));
  }

  /**
   * @param host in the spelling of {@link #plain}
   */
  boolean allow(String host) {
    return allowed.map(patterns -> matches(host, patterns)).orElse(true) && !matches(host, denied);
  }

  /** Normalizes a host name: lower case, without a trailing dot. */
  static String plain(String host) {
    var lower = host.toLowerCase(Locale.ROOT);
    return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
  }

  private static boolean matches(String host, List<Wildcard> patterns) {
    return patterns.stream().anyMatch(pattern -> pattern.matches(host));
  }

  private static List<Wildcard> patterns(List<String> hosts) {
    return hosts.stream().map(host -> new Wildcard(plain(host.strip()))).toList();
  }
}
