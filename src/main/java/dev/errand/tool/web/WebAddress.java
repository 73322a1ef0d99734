package dev.errand.tool.web;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URI;
import java.net.URLDecoder;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Reads addresses as browsers do (<a href="https://url.spec.whatwg.org/">WHATWG URL</a>): what a
 * URL must not contain is encoded, what is encoded stays, and the host gets the form in which it is
 * looked up. What it returns may still be no URL or not allowed; {@link UrlGuard} checks exactly
 * that text.
 */
final class WebAddress {

  private static final Pattern SCHEME = Pattern.compile("(?s)([A-Za-z][A-Za-z0-9+.-]*):(.*)");
  private static final Pattern NO_SCHEME =
      Pattern.compile("(?s)([^\\s/?#\\\\:@]+\\.[^\\s/?#\\\\:@]+|localhost)(:\\d*)?([/?#\\\\].*)?");
  private static final Pattern ENCODED = Pattern.compile("%[0-9A-Fa-f]{2}");
  private static final Pattern PORT = Pattern.compile("0*(\\d{1,5})");
  private static final Pattern NOT_IN_A_HOST =
      Pattern.compile("[\\x00-\\x20\"#%/:<>?@\\[\\\\\\]^`{|}\\x7F]");

  /** What a path must not contain, in addition to control characters and spaces. */
  private static final String ENCODED_IN_PATH = "\"<>`{}|^[]";

  private static final String ENCODED_IN_QUERY = "\"<>`{}|^\\'";

  private final String scheme;
  private final String rest;

  private WebAddress(String scheme, String rest) {
    this.scheme = scheme;
    this.rest = rest;
  }

  /** Returns the URL that a text means. Without a scheme, it is {@code https}. */
  static String of(String text) {
    var address = stripped(text);
    if (NO_SCHEME.matcher(address).matches()) {
      return absolute("https://" + address);
    }
    return absolute(address.matches("(?s)[/\\\\]{2}.*") ? "https:" + address : address);
  }

  /** Returns the target of a redirect, which may be relative and may have raw bytes of UTF-8. */
  static String resolve(URI from, String location) {
    var target = stripped(inUnicode(location));
    if (SCHEME.matcher(target).matches()) {
      return absolute(target);
    }
    var origin = from.getScheme() + "://" + from.getRawAuthority();
    var path = from.getRawPath().isEmpty() ? "/" : from.getRawPath();
    var query = from.getRawQuery() == null ? "" : "?" + from.getRawQuery();
    var first = target.isEmpty() ? '#' : target.charAt(0);
    return absolute(
        switch (first) {
          case '/', '\\' ->
              target.matches("(?s)[/\\\\]{2}.*")
                  ? from.getScheme() + ":" + target
                  : origin + target;
          case '?' -> origin + path + target;
          case '#' -> origin + path + query;
          default -> origin + path.substring(0, path.lastIndexOf('/') + 1) + target;
        });
  }

  /** Header lines are read byte by byte. */
  private static String inUnicode(String header) {
    var bytes = header.getBytes(ISO_8859_1);
    var text = new String(bytes, UTF_8);
    return text.contains("\uFFFD") ? header : text;
  }

  private static String stripped(String text) {
    return text.replaceAll("[\\t\\n\\r]", "").replaceAll("^[\\x00-\\x20]+|[\\x00-\\x20]+$", "");
  }

  private static String absolute(String address) {
    var parts = SCHEME.matcher(address);
    if (!parts.matches()) {
      return address;
    }
    var scheme = parts.group(1).toLowerCase(Locale.ROOT);
    return List.of("http", "https").contains(scheme)
        ? new WebAddress(scheme, parts.group(2)).text()
        : address;
  }

  private String text() {
    var address = rest.replaceFirst("^[/\\\\]+", "");
    var end = address.indexOf('#');
    address = end < 0 ? address : address.substring(0, end);
    var question = address.indexOf('?');
    var query =
        question < 0 ? "" : "?" + encoded(address.substring(question + 1), ENCODED_IN_QUERY);
    var hierarchy = (question < 0 ? address : address.substring(0, question)).replace('\\', '/');
    var slash = hierarchy.indexOf('/');
    var authority = slash < 0 ? hierarchy : hierarchy.substring(0, slash);
    var path = slash < 0 ? "/" : withoutDots(hierarchy.substring(slash + 1));
    return scheme + "://" + authority(authority) + encoded(path, ENCODED_IN_PATH) + query;
  }

  /** Keeps a user name only as a sign that there was one: it is refused. */
  private String authority(String authority) {
    var at = authority.lastIndexOf('@');
    var user = at < 0 ? "" : "user@";
    var host = authority.substring(at + 1);
    var colon = host.lastIndexOf(':');
    return colon < 0 || host.indexOf(']') > colon
        ? user + host(host)
        : user + host(host.substring(0, colon)) + port(host.substring(colon + 1));
  }

  private String port(String port) {
    var number = PORT.matcher(port);
    if (!number.matches()) {
      return port.isEmpty() ? "" : ":" + port;
    }
    var usual = scheme.equals("https") ? "443" : "80";
    return number.group(1).equals(usual) ? "" : ":" + number.group(1);
  }

  private static String host(String host) {
    if (host.startsWith("[")) {
      return host.toLowerCase(Locale.ROOT);
    }
    try {
      var name = HostName.ascii(URLDecoder.decode(host.replace("+", "%2B"), UTF_8));
      return NOT_IN_A_HOST.matcher(name).find() ? "" : name;
    } catch (IllegalArgumentException invalid) {
      return ""; // refused as missing
    }
  }

  /** Removes {@code .} and {@code ..}, also if they are encoded. */
  private static String withoutDots(String path) {
    var names = new ArrayDeque<String>();
    var all = path.split("/", -1);
    for (int i = 0; i < all.length; i++) {
      var isLast = i == all.length - 1;
      switch (all[i].replaceAll("(?i)%2e", ".")) {
        case ".." -> {
          names.pollLast();
          if (isLast) {
            names.add("");
          }
        }
        case "." -> {
          if (isLast) {
            names.add("");
          }
        }
        default -> names.add(all[i]);
      }
    }
    return "/" + String.join("/", names);
  }

  private static String encoded(String text, String others) {
    var result = new StringBuilder();
    for (int at = 0; at < text.length(); at += Character.charCount(text.codePointAt(at))) {
      var code = text.codePointAt(at);
      if (code == '%' && !ENCODED.matcher(text).region(at, text.length()).lookingAt()) {
        result.append("%25");
      } else if (code <= ' ' || code >= 0x7F || others.indexOf(code) >= 0) {
        encode(result, code);
      } else {
        result.appendCodePoint(code);
      }
    }
    return result.toString();
  }

  private static void encode(StringBuilder result, int code) {
    var isHalf = code >= Character.MIN_SURROGATE && code <= Character.MAX_SURROGATE;
    for (var octet : (isHalf ? "\uFFFD" : Character.toString(code)).getBytes(UTF_8)) {
      result.append("%%%02X".formatted(octet));
    }
  }
}
