package dev.errand.http;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.util.Objects;

/**
 * The headers with which a browser lets a page of an allowed origin send requests and read answers
 * (CORS). Cookies and other credentials of the browser are not allowed.
 */
final class CrossOriginHeaders {

  private static final String METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE";
  private static final String READABLE =
      "Location, Retry-After, Preference-Applied, WWW-Authenticate";
  private static final String MAX_AGE_SECONDS = "600";

  private CrossOriginHeaders() {}

  /** Whether a browser asks which requests a page may send. */
  static boolean isPreflight(HttpServerRequest request) {
    return request.method() == HttpMethod.OPTIONS
        && request.headers().contains("Access-Control-Request-Method");
  }

  /** Every header that the page wants to send is allowed: configuration trusts its origin. */
  static MultiMap of(HttpServerRequest request) {
    var headers =
        MultiMap.caseInsensitiveMultiMap()
            .add("Access-Control-Allow-Origin", request.getHeader("Origin"))
            .add("Access-Control-Expose-Headers", READABLE)
            .add("Vary", "Origin");
    if (isPreflight(request)) {
      var wanted = request.getHeader("Access-Control-Request-Headers");
      headers
          .add("Access-Control-Allow-Methods", METHODS)
          .add("Access-Control-Allow-Headers", Objects.requireNonNullElse(wanted, ""))
          .add("Access-Control-Max-Age", MAX_AGE_SECONDS);
    }
    if (request.headers().contains("Access-Control-Request-Private-Network")) {
      headers.add("Access-Control-Allow-Private-Network", "true");
    }
    return headers;
  }
}
