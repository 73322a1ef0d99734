package dev.errand.tool.web;

import com.google.re2j.Pattern;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The hosts that an operator lets be called, and those he does not. */
final class HostRules {

  private final Optional<List<Pattern>> allowed;
  private final List<Pattern> denied;

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

  private static boolean fits(String host, List<Pattern> patterns) {
    return patterns.stream().anyMatch(pattern -> pattern.matches(host));
  }

  private static List<Pattern> patterns(List<String> hosts) {
    return hosts.stream()
        .map(host -> Pattern.compile(Pattern.quote(plain(host.strip())).replace("\\*", ".*")))
        .toList();
  }
}
