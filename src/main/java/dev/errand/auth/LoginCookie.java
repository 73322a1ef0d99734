package dev.errand.auth;

import io.vertx.core.http.Cookie;
import io.vertx.core.http.CookieSameSite;
import io.vertx.core.http.HttpServerRequest;
import java.util.Optional;

/**
 * The cookie of a person who has logged in at the console. Scripts cannot read it, and browsers do
 * not send it with requests that other sites cause. Without TLS, which browsers allow on loopback,
 * its name contains the port, because browsers share cookies between ports.
 */
public final class LoginCookie {

  private static final String SECURE = "__Host-errand";
  private static final String PLAIN = "errand-";

  private LoginCookie() {}

  /** The text of the login that a request sends. */
  public static Optional<String> read(HttpServerRequest request) {
    return Optional.ofNullable(request.getCookie(name(request))).map(Cookie::getValue);
  }

  /** Lets the browser that sent a request keep a login until it is closed. */
  public static void set(HttpServerRequest request, String login) {
    request.response().addCookie(cookie(request, login));
  }

  /** Lets the browser forget the login. */
  public static void remove(HttpServerRequest request) {
    request.response().addCookie(cookie(request, "").setMaxAge(0));
  }

  private static Cookie cookie(HttpServerRequest request, String value) {
    return Cookie.cookie(name(request), value)
        .setPath("/")
        .setHttpOnly(true)
        .setSecure(isSecure(request))
        .setSameSite(CookieSameSite.STRICT);
  }

  private static String name(HttpServerRequest request) {
    return isSecure(request) ? SECURE : PLAIN + request.localAddress().port();
  }

  private static boolean isSecure(HttpServerRequest request) {
    return "https".equals(request.scheme())
        || "https".equals(request.getHeader("X-Forwarded-Proto"));
  }
}
