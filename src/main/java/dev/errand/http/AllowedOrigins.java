package dev.errand.http;

import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.handler.CorsHandler;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The web pages that may call this service: its own, and those of the configured origins. Other
 * clients are not restricted here; browsers send the headers that are judged, and pages cannot
 * change them.
 */
final class AllowedOrigins {

  private static final Pattern ORIGIN =
      Pattern.compile("https?://(?:\\[[0-9a-f:.]+\\]|[0-9a-z.-]+)(?::[0-9]{1,5})?");
  private static final Set<String> OWN_SITE = Set.of("same-origin", "none");

  private static final Set<HttpMethod> METHODS =
      Set.of(
          HttpMethod.GET,
          HttpMethod.HEAD,
          HttpMethod.POST,
          HttpMethod.PUT,
          HttpMethod.PATCH,
          HttpMethod.DELETE);
  private static final Set<String> READABLE =
      Set.of("Location", "Retry-After", "Preference-Applied", "WWW-Authenticate");
  private static final int MAX_AGE_SECONDS = 600;

  private final Set<String> origins;

  /**
   * @throws IllegalArgumentException an entry is not an origin
   */
  AllowedOrigins(Collection<String> origins) {
    this.origins =
        origins.stream().map(AllowedOrigins::required).collect(Collectors.toUnmodifiableSet());
  }

  /** The origin of a request. */
  enum OriginKind {
    /** A page of this service, a link that was followed to it, or no web page. */
    OWN,
    /** A page of an allowed origin. */
    ALLOWED,
    /** Any other page. */
    FOREIGN
  }

  /**
   * The headers with which browsers report the origin of a request.
   *
   * @param reads whether the method changes nothing
   * @param hosts the headers {@code Host}
   * @param origins the headers {@code Origin}
   * @param site {@code Sec-Fetch-Site}
   * @param mode {@code Sec-Fetch-Mode}
   */
  record Evidence(
      boolean reads,
      List<String> hosts,
      List<String> origins,
      @Nullable String site,
      @Nullable String mode) {}

  /**
   * Returns what lets pages of allowed origins send requests and read answers, without cookies.
   * They may send every header: configuration trusts their origin.
   */
  CorsHandler cors() {
    return CorsHandler.create()
        .addOrigins(List.copyOf(origins))
        .allowedMethods(METHODS)
        .exposedHeaders(READABLE)
        .maxAgeSeconds(MAX_AGE_SECONDS)
        .allowPrivateNetwork(true);
  }

  OriginKind source(Evidence request) {
    if (request.origins().isEmpty()) {
      return isOwnSite(request.site()) || isFollowedLink(request)
          ? OriginKind.OWN
          : OriginKind.FOREIGN;
    }
    var origin = lowerCase(String.join(",", request.origins()));
    if (origins.contains(origin)) {
      return OriginKind.ALLOWED;
    }
    var own = request.hosts().stream().anyMatch(host -> isSame(origin, lowerCase(host)));
    return own && isOwnSite(request.site()) ? OriginKind.OWN : OriginKind.FOREIGN;
  }

  private static boolean isOwnSite(@Nullable String site) {
    return site == null || OWN_SITE.contains(site);
  }

  /** Links from other sites open pages of this service; they change nothing. */
  private static boolean isFollowedLink(Evidence request) {
    return request.reads() && "navigate".equals(request.mode());
  }

  /** Compares without the scheme, because a proxy may have ended TLS. */
  private static boolean isSame(String origin, String host) {
    var authority = origin.replaceFirst("^https?://", "");
    return !authority.equals(origin) && (authority.equals(host) || isDefaultPort(origin, host));
  }

  private static boolean isDefaultPort(String origin, String host) {
    return host.equals(origin.replaceFirst("^http://", "") + ":80")
        || host.equals(origin.replaceFirst("^https://", "") + ":443");
  }

  private static String required(String origin) {
    var lower = lowerCase(origin);
    if (!ORIGIN.matcher(lower).matches()) {
      throw new IllegalArgumentException(
          "errand.http.allowed-origins: "
              + origin
              + " must be scheme://host or scheme://host:port, with http or https");
    }
    return lower;
  }

  private static String lowerCase(String text) {
    return text.toLowerCase(Locale.ROOT);
  }
}
