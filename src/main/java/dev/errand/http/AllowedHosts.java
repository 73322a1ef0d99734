package dev.errand.http;

import java.util.Collection;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The hosts by which clients may address this service. A name that is not known is refused, because
 * the owner of a name can point it at this machine (DNS rebinding), and a browser then takes the
 * service for a part of the owner's web page. IP addresses cannot be pointed elsewhere.
 */
final class AllowedHosts {

  private static final Pattern AUTHORITY =
      Pattern.compile("(\\[[0-9a-f:.]+(?:%[0-9a-z._~%-]+)?\\]|[0-9a-z._-]+?)\\.?(?::[0-9]{0,5})?");
  private static final Pattern NAME = Pattern.compile("[0-9a-z._-]*[0-9a-z]");
  private static final Pattern IPV4 = Pattern.compile("[0-9]{1,3}(?:\\.[0-9]{1,3}){3}");

  private final Set<String> names;

  /**
   * @param bound the host on which the service listens
   * @param names names in addition to it
   * @throws IllegalArgumentException a name is not a host name without a port
   */
  AllowedHosts(String bound, Collection<String> names) {
    names.forEach(AllowedHosts::requireName);
    this.names =
        Stream.concat(Stream.of("localhost", bound), names.stream())
            .map(AllowedHosts::lowerCase)
            .collect(Collectors.toUnmodifiableSet());
  }

  /** Returns whether a header {@code Host}, or the authority of a URL, names this service. */
  boolean contain(String authority) {
    var matcher = AUTHORITY.matcher(lowerCase(authority));
    if (!matcher.matches()) {
      return false;
    }
    var host = matcher.group(1);
    return names.contains(host) || host.startsWith("[") || IPV4.matcher(host).matches();
  }

  private static void requireName(String name) {
    if (!NAME.matcher(lowerCase(name)).matches()) {
      throw new IllegalArgumentException(
          "errand.http.allowed-hosts: " + name + " must be a host name without a port");
    }
  }

  private static String lowerCase(String text) {
    return text.toLowerCase(Locale.ROOT);
  }
}
