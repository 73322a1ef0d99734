package dev.errand.setting;

import java.net.IDN;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Reads an http or https URL as people write it. Messages are the end of a sentence, say what would
 * be right, and contain neither a password nor the query, which may contain a key.
 */
public final class HttpUrl {

  private static final String EXAMPLE = "for example https://api.example.com/v1";
  private static final Set<String> SCHEMES = Set.of("http", "https");
  private static final int MAX_PORT = 65_535;

  /** A host with an optional port and path, as in {@code localhost:8000/v1}. */
  private static final Pattern WITHOUT_SCHEME =
      Pattern.compile("[A-Za-z0-9.-]+(:\\d+)?(/[A-Za-z0-9._/-]*)?");

  private static final Pattern LOCAL =
      Pattern.compile(
          "(localhost|127\\.[0-9.]+|10\\.[0-9.]+|192\\.168\\.[0-9.]+|[^.:/]+)([:/].*)?");

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9.-]+");

  private HttpUrl() {}

  /**
   * Returns the URL with its scheme in lower case and its host in ASCII. White space and quotation
   * marks around it are left out.
   *
   * @throws IllegalArgumentException the text is no such URL
   */
  public static URI read(String text) {
    var plain = Pasted.plain(text);
    var end = plain.indexOf("://");
    if (end < 0) {
      throw new IllegalArgumentException(
          "must begin with https:// or http://, " + exampleFor(plain));
    }
    var scheme = plain.substring(0, end).toLowerCase(Locale.ROOT);
    if (!SCHEMES.contains(scheme)) {
      throw new IllegalArgumentException("must begin with https:// or http://, " + EXAMPLE);
    }
    var rest = plain.substring(end + 3);
    var path = endOfAuthority(rest);
    checkRest(rest.substring(path));
    return uri(scheme + "://" + authority(rest.substring(0, path)) + rest.substring(path));
  }

  private static String exampleFor(String plain) {
    if (!WITHOUT_SCHEME.matcher(plain).matches()) {
      return EXAMPLE;
    }
    return "for example %s://%s"
        .formatted(LOCAL.matcher(plain).matches() ? "http" : "https", plain);
  }

  private static int endOfAuthority(String rest) {
    for (int i = 0; i < rest.length(); i++) {
      if ("/?#".indexOf(rest.charAt(i)) >= 0) {
        return i;
      }
    }
    return rest.length();
  }

  private static void checkRest(String rest) {
    if (rest.indexOf('#') >= 0) {
      throw new IllegalArgumentException("must not have a fragment ('#' and what follows)");
    }
    if (rest.startsWith("//") && !rest.matches("/+")) {
      throw new IllegalArgumentException(
          "must have one slash between its host and its path, " + EXAMPLE);
    }
  }

  private static String authority(String text) {
    if (text.indexOf('@') >= 0) {
      throw new IllegalArgumentException(
          "must not contain a user name or password; a key has a setting of its own");
    }
    var colon = text.endsWith("]") ? -1 : text.lastIndexOf(':');
    var host = colon < 0 ? text : text.substring(0, colon);
    var port = colon < 0 ? "" : text.substring(colon + 1);
    return host(host) + (port.isEmpty() ? "" : ":" + port(port));
  }

  private static String host(String host) {
    if (host.startsWith("[")) {
      return host; // an IPv6 address, which URI checks
    }
    if (host.isEmpty()) {
      throw new IllegalArgumentException("must name a host, " + EXAMPLE);
    }
    try {
      var ascii = IDN.toASCII(host);
      if (NAME.matcher(ascii).matches()) {
        return ascii;
      }
    } catch (IllegalArgumentException _) {
      // The sentence below is clearer.
    }
    throw new IllegalArgumentException(
        "must have a host name of letters, digits, '-' and '.' only, " + EXAMPLE);
  }

  private static int port(String port) {
    var number = port.matches("\\d{1,5}") ? Integer.parseInt(port) : 0;
    if (number < 1 || number > MAX_PORT) {
      throw new IllegalArgumentException(
          "must have a port from 1 to 65535 after its host, for example https://api.example.com:8443/v1");
    }
    return number;
  }

  private static URI uri(String text) {
    try {
      var uri = new URI(new URI(text).toASCIIString());
      if (uri.getHost() != null) {
        return uri;
      }
    } catch (URISyntaxException malformed) {
      if (malformed.getIndex() >= 0 && malformed.getIndex() < text.length()) {
        throw new IllegalArgumentException(
            "must not contain '%c'; write it as a percent code, or replace the placeholder"
                .formatted(text.charAt(malformed.getIndex())));
      }
    }
    throw new IllegalArgumentException("must be a URL, " + EXAMPLE);
  }
}
