package dev.errand.egress;

import dev.errand.secret.Secrets;
import dev.errand.setting.Pasted;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A proxy as {@code HTTPS_PROXY} names it: {@code http://user:password@host:port}. User, password,
 * port (80) and {@code http://} may be absent.
 */
record ProxyServer(String host, int port, @Nullable Login login) {

  private static final String EXAMPLE = "for example http://proxy.example.com:3128";
  private static final int HTTP = 80;
  private static final int MAX_PORT = 65_535;

  private static final Pattern PARTS =
      Pattern.compile(
          "(?:([A-Za-z][A-Za-z0-9+.-]*)://)?(?:([^/?#]*)@)?(\\[[0-9A-Fa-f:.]+]|[A-Za-z0-9._-]+)(?::(\\d*))?/?");

  /** The credentials for a proxy. */
  record Login(String user, String password) {

    /** Returns the value of {@code Proxy-Authorization}. */
    String header() {
      return "Basic " + encoded();
    }

    private String encoded() {
      return Base64.getEncoder()
          .encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String toString() {
      return Secrets.MASK;
    }
  }

  /**
   * @param setting the name for messages, which contain no credentials
   * @throws IllegalArgumentException no such proxy can be used
   */
  static ProxyServer read(String setting, String text) {
    var plain = Pasted.plain(text);
    var parts = PARTS.matcher(plain);
    if (!parts.matches()) {
      throw new IllegalArgumentException(
          "%s must be the address of a proxy, %s; special characters in a password are written as percent codes, as in p%%40ss"
              .formatted(setting, EXAMPLE));
    }
    checkScheme(setting, parts.group(1));
    return new ProxyServer(
        parts.group(3),
        port(setting, parts.group(4)),
        parts.group(2) == null ? null : login(setting, parts.group(2)));
  }

  private static void checkScheme(String setting, @Nullable String scheme) {
    if (scheme != null && !scheme.toLowerCase(Locale.ROOT).equals("http")) {
      throw new IllegalArgumentException(
          "%s must begin with http://, not with %s://: a proxy is called without TLS, also for https addresses, %s"
              .formatted(setting, scheme.toLowerCase(Locale.ROOT), EXAMPLE));
    }
  }

  private static int port(String setting, @Nullable String digits) {
    if (digits == null || digits.isEmpty()) {
      return HTTP;
    }
    var port = digits.length() > 5 ? 0 : Integer.parseInt(digits);
    if (port < 1 || port > MAX_PORT) {
      throw new IllegalArgumentException(
          "%s must have a port from 1 to 65535, %s".formatted(setting, EXAMPLE));
    }
    return port;
  }

  private static Login login(String setting, String text) {
    var parts = text.split(":", 2);
    try {
      var login = new Login(decoded(parts[0]), parts.length < 2 ? "" : decoded(parts[1]));
      Secrets.register(login.password());
      Secrets.register(login.encoded());
      return login;
    } catch (IllegalArgumentException _) {
      // Without the cause, whose message quotes the password.
      throw new IllegalArgumentException(
          setting
              + " has a '%' in its user name or password that begins no percent code; write it as"
              + " %25");
    }
  }

  /** A plus is itself, unlike in a form. */
  private static String decoded(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  Proxy asProxy() {
    return new Proxy(
        Proxy.Type.HTTP, InetSocketAddress.createUnresolved(host.replaceAll("^\\[|]$", ""), port));
  }

  Optional<String> authorization() {
    return Optional.ofNullable(login).map(Login::header);
  }

  @Override
  public String toString() {
    return host + ":" + port;
  }
}
