package dev.errand.http;

import dev.errand.http.AllowedOrigins.Evidence;
import dev.errand.tool.FieldProblem;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.CorsHandler;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response.Status;
import jakarta.ws.rs.core.Response.StatusType;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * Refuses what web pages of other sites send, on every path: requests to a host name that is not
 * ours (421), requests of foreign origins (403), and bodies that are not JSON (415), which browsers
 * send without asking. Pages of allowed origins may call with a bearer token (CORS).
 */
@Singleton
class RequestGuard {

  private static final int BEFORE_OTHER_FILTERS = 1100;
  private static final int AFTER_THE_ORIGIN = BEFORE_OTHER_FILTERS - 1;
  private static final Set<HttpMethod> READS =
      Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS);
  private static final String ORIGIN = "Origin";

  /** The database takes no text that contains it. */
  private static final String NUL = "%00";

  private static final Pattern JSON = Pattern.compile("(?i)\\s*application/json\\s*(?:;.*)?");
  private static final Pattern URL = Pattern.compile("(?i)https?://([^/?#]*)");

  /** Browsers do not guess types, embed answers in other sites, or tell these our addresses. */
  private static final MultiMap SECURITY_HEADERS =
      MultiMap.caseInsensitiveMultiMap()
          .add("X-Content-Type-Options", "nosniff")
          .add("Cross-Origin-Resource-Policy", "same-origin")
          .add("Content-Security-Policy", "frame-ancestors 'none'")
          .add("Referrer-Policy", "same-origin");

  private static final RefusedHeader ONE_HOST =
      new RefusedHeader(
          "The request must have one header Host.", HttpHeaders.HOST, "must be given once");
  private static final RefusedHeader FOREIGN_HOST =
      new RefusedHeader(
          "This service is not known by the host name of the request.",
          HttpHeaders.HOST,
          "must be localhost, an IP address, or a name in ERRAND_HTTP_ALLOWED_HOSTS");
  private static final RefusedHeader FOREIGN_ORIGIN =
      new RefusedHeader(
          "The request comes from a web page of another origin.",
          ORIGIN,
          "must be an origin of this service, or one in ERRAND_HTTP_ALLOWED_ORIGINS");
  private static final RefusedHeader NO_TOKEN =
      new RefusedHeader(
          "A web page of another origin needs a token.",
          HttpHeaders.AUTHORIZATION,
          "must be Bearer and a token");
  private static final RefusedHeader NOT_JSON =
      new RefusedHeader(
          "Send the body as application/json.",
          HttpHeaders.CONTENT_TYPE,
          "must be application/json");

  private final AllowedHosts allowedHosts;
  private final AllowedOrigins allowedOrigins;
  private final CorsHandler cors;
  private final ProblemWriter problems;

  RequestGuard(
      @ConfigProperty(name = "quarkus.http.host") String bound,
      HttpConfig config,
      ProblemWriter problems) {
    this.allowedHosts = new AllowedHosts(bound, config.allowedHosts().orElse(Set.of()));
    this.allowedOrigins = new AllowedOrigins(config.allowedOrigins().orElse(Set.of()));
    this.cors = allowedOrigins.cors();
    this.problems = problems;
  }

  /**
   * The reason why a request is refused.
   *
   * @param message what the header must be
   */
  private record RefusedHeader(String detail, String header, String message) {}

  void register(@Observes Filters filters) {
    filters.register(this::check, BEFORE_OTHER_FILTERS);
    filters.register(this::checkBody, AFTER_THE_ORIGIN);
  }

  /** The router itself refuses requests without a host. */
  void register(@Observes Router router) {
    router.route().order(Integer.MIN_VALUE).failureHandler(this::explain);
  }

  private void explain(RoutingContext context) {
    if (context.statusCode() == Status.BAD_REQUEST.getStatusCode()
        && hosts(context.request()).isEmpty()) {
      refuse(context, Status.BAD_REQUEST, ONE_HOST);
    } else {
      context.next();
    }
  }

  private void check(RoutingContext context) {
    var request = context.request();
    context.response().headers().addAll(SECURITY_HEADERS);
    var hosts = hosts(request);
    if (hosts.size() != 1 && request.version() != HttpVersion.HTTP_1_0) {
      refuse(context, Status.BAD_REQUEST, ONE_HOST);
    } else if (!hosts.stream().allMatch(allowedHosts::contain) || !isTargetOurs(request)) {
      refuse(context, Problem.MISDIRECTED, FOREIGN_HOST);
    } else if (Objects.requireNonNullElse(request.path(), "").contains(NUL)) {
      problems.answer(
          context.response(), Status.BAD_REQUEST, "The URL is malformed.", "/", List.of());
    } else {
      checkOrigin(context, hosts);
    }
  }

  private void checkOrigin(RoutingContext context, List<String> hosts) {
    var request = context.request();
    switch (allowedOrigins.source(evidence(request, hosts))) {
      case OWN -> context.next();
      case FOREIGN -> refuse(context, Status.FORBIDDEN, FOREIGN_ORIGIN);
      case ALLOWED -> cors.handle(context);
    }
  }

  private void checkBody(RoutingContext context) {
    if (isFromAllowedOrigin(context) && !hasToken(context.request())) {
      refuse(context, Status.FORBIDDEN, NO_TOKEN);
    } else if (hasBody(context.request()) && !isJson(context.request())) {
      refuse(context, Status.UNSUPPORTED_MEDIA_TYPE, NOT_JSON);
    } else {
      context.next();
    }
  }

  /** HTTP/2 has the pseudo-header {@code :authority} in place of {@code Host}. */
  private static List<String> hosts(HttpServerRequest request) {
    var hosts = request.headers().getAll(HttpHeaders.HOST);
    return hosts.isEmpty() && request.version() == HttpVersion.HTTP_2 && request.authority() != null
        ? List.of(request.authority().toString())
        : hosts;
  }

  /** Clients of proxies send a whole URL in place of a path; its host replaces {@code Host}. */
  private boolean isTargetOurs(HttpServerRequest request) {
    var target = request.uri();
    if (target.startsWith("/") || target.equals("*")) {
      return true;
    }
    var url = URL.matcher(target);
    return url.lookingAt() && allowedHosts.contain(url.group(1));
  }

  private static Evidence evidence(HttpServerRequest request, List<String> hosts) {
    return new Evidence(
        READS.contains(request.method()),
        hosts,
        request.headers().getAll(ORIGIN),
        request.getHeader("Sec-Fetch-Site"),
        request.getHeader("Sec-Fetch-Mode"));
  }

  private static boolean isFromAllowedOrigin(RoutingContext context) {
    return context.response().headers().contains("Access-Control-Allow-Origin");
  }

  private static boolean hasToken(HttpServerRequest request) {
    var authorization = request.getHeader(HttpHeaders.AUTHORIZATION);
    return authorization != null && authorization.regionMatches(true, 0, "Bearer ", 0, 7);
  }

  private static boolean hasBody(HttpServerRequest request) {
    var length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    return length == null ? request.headers().contains("Transfer-Encoding") : !length.equals("0");
  }

  private static boolean isJson(HttpServerRequest request) {
    var types = request.headers().getAll(HttpHeaders.CONTENT_TYPE);
    return types.size() == 1 && JSON.matcher(types.getFirst()).matches();
  }

  private void refuse(RoutingContext context, StatusType status, RefusedHeader refused) {
    var error = new FieldProblem(refused.header(), refused.message());
    problems.answer(
        context.response(), status, refused.detail(), context.normalizedPath(), List.of(error));
  }
}
