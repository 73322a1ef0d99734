package dev.errand.api.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response.Status;
import java.util.List;

/**
 * Refuses bodies over 1 MiB before they are read, with an answer that says so. Bodies that do not
 * tell their length are cut off by the server itself, by {@code quarkus.http.limits.max-body-size},
 * which is a little higher.
 */
@ApplicationScoped
class BodyLimit {

  static final String DETAIL = "The body is larger than 1 MiB.";

  private static final long MAX_BYTES = 1024 * 1024;
  private static final int EARLY = 1000;

  private final ObjectMapper mapper;

  BodyLimit(ObjectMapper mapper) {
    this.mapper = mapper;
  }

  void register(@Observes Filters filters) {
    filters.register(this::check, EARLY);
  }

  private void check(RoutingContext request) {
    var length = request.request().getHeader(HttpHeaders.CONTENT_LENGTH);
    if (length == null || Long.parseLong(length) <= MAX_BYTES) {
      request.next();
      return;
    }
    request
        .response()
        .setStatusCode(Status.REQUEST_ENTITY_TOO_LARGE.getStatusCode())
        .putHeader(HttpHeaders.CONTENT_TYPE, Problem.MEDIA_TYPE)
        .putHeader("Connection", "close")
        .end(body(request.normalizedPath()));
  }

  private String body(String path) {
    try {
      return mapper.writeValueAsString(
          Problem.of(Status.REQUEST_ENTITY_TOO_LARGE, DETAIL, path, List.of()));
    } catch (JsonProcessingException fault) {
      throw new IllegalStateException(fault);
    }
  }
}
