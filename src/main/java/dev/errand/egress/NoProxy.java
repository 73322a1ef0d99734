package dev.errand.egress;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiPredicate;

/**
 * The hosts that are called without a proxy, as {@code NO_PROXY} lists them: separated by commas or
 * spaces, each a name with all names below it, with or without {@code .} or {@code *.} before it,
 * an address, a block of addresses in CIDR notation, one of these with a port, or {@code *} for
 * all. Names are not looked up. This machine is always called without a proxy. An entry that is
 * none of these matches nothing, as in other programs.
 */
final class NoProxy {

  private final List<BiPredicate<String, Integer>> entries;

  NoProxy(String list) {
    this.entries =
        Arrays.stream(list.toLowerCase(Locale.ROOT).split("[,\\s]+"))
            .filter(entry -> !entry.isEmpty())
            .map(NoProxy::entry)
            .toList();
  }

  /**
   * @param host a name or an address, an IPv6 address in brackets
   */
  boolean contains(String host, int port) {
    var plain = plain(host.toLowerCase(Locale.ROOT));
    return isThisMachine(plain) || entries.stream().anyMatch(entry -> entry.test(plain, port));
  }

  private static boolean isThisMachine(String host) {
    return host.equals("localhost")
        || host.endsWith(".localhost")
        || address(host)
            .filter(literal -> literal.isLoopbackAddress() || literal.isAnyLocalAddress())
            .isPresent();
  }

  private static BiPredicate<String, Integer> entry(String text) {
    if (text.equals("*")) {
      return (_, _) -> true;
    }
    if (text.indexOf('/') > 0) {
      return block(text);
    }
    var colon = text.lastIndexOf(':');
    var hasPort = colon > 0 && (text.indexOf(':') == colon || text.charAt(colon - 1) == ']');
    var host = plain(hasPort ? text.substring(0, colon) : text);
    var matches = host(host);
    if (!hasPort) {
      return matches;
    }
    var port = text.substring(colon + 1);
    return (name, called) -> port.equals(Integer.toString(called)) && matches.test(name, called);
  }

  private static BiPredicate<String, Integer> block(String text) {
    try {
      var block = AddressBlock.of(text);
      return (host, _) -> address(host).filter(block::contains).isPresent();
    } catch (IllegalArgumentException malformed) {
      return (_, _) -> false;
    }
  }

  private static BiPredicate<String, Integer> host(String entry) {
    var named = address(entry);
    if (named.isPresent()) {
      return (host, _) -> address(host).equals(named);
    }
    var name = entry.replaceFirst("^\\*?\\.", "");
    return (host, _) -> host.equals(name) || host.endsWith("." + name);
  }

  /**
   * Returns the host without the brackets of an IPv6 address and the dot at the end of a complete
   * name.
   */
  private static String plain(String host) {
    return host.replaceAll("^\\[|]$|(?<=[^.])\\.$", "");
  }

  /** Returns the address that a text spells; empty for a name. */
  private static Optional<InetAddress> address(String host) {
    try {
      return Optional.of(InetAddress.ofLiteral(host));
    } catch (IllegalArgumentException name) {
      return Optional.empty();
    }
  }
}
