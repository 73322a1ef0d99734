package dev.errand.egress;

import java.io.IOException;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The proxies of the environment: {@code HTTPS_PROXY} for https addresses, {@code HTTP_PROXY} for
 * http addresses, {@code NO_PROXY} for what is called without one; each also in lower case, which
 * takes precedence. Installed as the default of the process, so that clients of the JDK use them
 * without further settings.
 */
public final class Proxies extends ProxySelector {

  /** The JDK refuses Basic authentication for tunnels unless this is empty. */
  private static final String REFUSED_SCHEMES = "jdk.http.auth.tunneling.disabledSchemes";

  private static final int HTTPS = 443;
  private static final int HTTP = 80;

  private final Optional<ProxyServer> forHttps;
  private final Optional<ProxyServer> forHttp;
  private final NoProxy none;
  private final @Nullable ProxySelector others;

  private Proxies(Function<String, Optional<String>> environment, @Nullable ProxySelector others) {
    this.forHttps = server("HTTPS_PROXY", environment);
    this.forHttp = server("HTTP_PROXY", environment);
    this.none = new NoProxy(read("NO_PROXY", environment).orElse(""));
    this.others = others;
  }

  private static Optional<ProxyServer> server(
      String name, Function<String, Optional<String>> environment) {
    return read(name, environment)
        .filter(text -> !text.isBlank())
        .map(text -> ProxyServer.read(name, text));
  }

  private static Optional<String> read(
      String name, Function<String, Optional<String>> environment) {
    return environment.apply(name.toLowerCase(Locale.ROOT)).or(() -> environment.apply(name));
  }

  /**
   * Makes the proxies those of the process; without any, nothing is changed. Called before the
   * first HTTP client is made.
   *
   * @throws IllegalArgumentException one of them cannot be used; the message is a sentence
   */
  public static void install(Function<String, Optional<String>> environment) {
    var proxies = new Proxies(environment, ProxySelector.getDefault());
    if (proxies.forHttps.or(() -> proxies.forHttp).isPresent()) {
      System.setProperty(REFUSED_SCHEMES, "");
      ProxySelector.setDefault(proxies);
    }
  }

  /** Returns the value of {@code Proxy-Authorization} for a request; empty if it needs none. */
  public static Optional<String> authorization(URI target) {
    return of(target).flatMap(ProxyServer::authorization);
  }

  /** Returns how a target is reached, as the end of a sentence: empty, or {@code " through …"}. */
  public static String way(URI target) {
    return of(target).map(proxy -> " through the proxy " + proxy).orElse("");
  }

  /** Returns the proxy of the process for a target; empty if it is called without one. */
  static Optional<ProxyServer> of(URI target) {
    return ProxySelector.getDefault() instanceof Proxies installed
        ? installed.server(target)
        : Optional.empty();
  }

  private Optional<ProxyServer> server(URI target) {
    var scheme = String.valueOf(target.getScheme()).toLowerCase(Locale.ROOT);
    var isSecure = scheme.equals("https");
    var server =
        isSecure ? forHttps : scheme.equals("http") ? forHttp : Optional.<ProxyServer>empty();
    var port = target.getPort() > 0 ? target.getPort() : isSecure ? HTTPS : HTTP;
    return server.filter(_ -> target.getHost() != null && !none.contains(target.getHost(), port));
  }

  @Override
  public List<Proxy> select(URI target) {
    var server = server(target);
    if (server.isPresent()) {
      return List.of(server.get().asProxy());
    }
    var isWeb = String.valueOf(target.getScheme()).toLowerCase(Locale.ROOT).startsWith("http");
    return others == null || isWeb ? List.of(Proxy.NO_PROXY) : others.select(target);
  }

  /** Ignores a failed connection: the next request tries it again. */
  @Override
  public void connectFailed(URI target, SocketAddress address, IOException fault) {}
}
