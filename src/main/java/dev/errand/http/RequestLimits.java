package dev.errand.http;

import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response.Status;
import java.util.List;

/**
 * Refuses requests with a URL of more than 8,000 characters or a body of more than 1 MiB, before
 * the body is read. {@link BodyLimit} counts the bytes of bodies without a {@code Content-Length}.
 * The server itself has higher limits and closes connections that exceed them without a problem
 * document: {@code quarkus.http.limits.max-initial-line-length} for URLs, {@code
 * quarkus.http.limits.max-body-size} for bodies.
 */
@Singleton
class RequestLimits {

  static final long MAX_BODY_BYTES = 1024 * 1024;
  static final String BODY_DETAIL = "The body is larger than 1 MiB.";

  private static final String URL_DETAIL = "The URL has more than 8,000 characters.";
  private static final int MAX_URL_LENGTH = 8_000;
  private static final int BEFORE_OTHER_FILTERS = 1000;

  private final ProblemWriter problems;

  RequestLimits(ProblemWriter problems) {
    this.problems = problems;
  }

  void register(@Observes Filters filters) {
    filters.register(this::check, BEFORE_OTHER_FILTERS);
  }

  private void check(RoutingContext context) {
    var request = context.request();
    var length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    if (request.uri().length() > MAX_URL_LENGTH) {
      refuse(context, Status.REQUEST_URI_TOO_LONG, URL_DETAIL);
    } else if (length != null && Long.parseLong(length) > MAX_BODY_BYTES) {
      refuse(context, Status.REQUEST_ENTITY_TOO_LARGE, BODY_DETAIL);
    } else {
      context.next();
    }
  }

  private void refuse(RoutingContext context, Status status, String detail) {
    problems.answer(context.response(), status, detail, context.normalizedPath(), List.of());
  }
}
