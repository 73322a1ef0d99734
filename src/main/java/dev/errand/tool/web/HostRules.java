package dev.errand.tool.web;

import dev.errand.conversation.SessionId;
import dev.errand.permission.Wildcard;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The hosts that the operator allows and denies. */
final class HostRules {

  /** In {@code errand.tools.webfetch.hosts}: the hosts that the user named. */
  private static final String NAMED = "named";

  /** A label has at most 63 characters, so that a long text without dots is searched quickly. */
  private static final Pattern HOST =
      Pattern.compile(
          "[\\p{L}\\p{N}_-]{1,63}(?:\\.[\\p{L}\\p{N}_-]{1,63})+|\\[[\\p{XDigit}:.]+]|localhost");

  private final boolean named;
  private final List<Wildcard> allowed;
  private final List<Wildcard> denied;
  private final UserMessages messages;

  HostRules(WebFetchConfig config, UserMessages messages) {
    this.named = config.hosts().stream().anyMatch(host -> host.strip().equals(NAMED));
    this.allowed = patterns(config.hosts());
    this.denied = patterns(config.denyHosts().orElse(List.of()));
    this.messages = messages;
  }

  /**
   * Returns why a host must not be called, as the end of a sentence; empty if it may.
   *
   * @param host in the spelling of {@link #plain}
   */
  Optional<String> refusal(String host, SessionId caller) {
    if (matches(host, denied)) {
      return Optional.of("must not be called");
    }
    if (matches(host, allowed)) {
      return Optional.empty();
    }
    if (!named) {
      return Optional.of("must not be called");
    }
    return messages.inTreeOf(caller).stream().flatMap(HostRules::hosts).anyMatch(host::equals)
        ? Optional.empty()
        : Optional.of(
            "must not be called, because no message of the user names it; ask the user for it");
  }

  /** Normalizes a host name: lower case, without a trailing dot. */
  static String plain(String host) {
    var lower = host.toLowerCase(Locale.ROOT);
    return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
  }

  private static Stream<String> hosts(String text) {
    return HOST.matcher(text).results().flatMap(found -> ascii(found.group()).stream());
  }

  private static Optional<String> ascii(String host) {
    try {
      return Optional.of(plain(HostName.ascii(host)));
    } catch (IllegalArgumentException noHost) {
      return Optional.empty();
    }
  }

  private static boolean matches(String host, List<Wildcard> patterns) {
    return patterns.stream().anyMatch(pattern -> pattern.matches(host));
  }

  private static List<Wildcard> patterns(List<String> hosts) {
    return hosts.stream()
        .map(host -> plain(host.strip()))
        .map(host -> new Wildcard(ascii(host).orElse(host)))
        .toList();
  }
}
