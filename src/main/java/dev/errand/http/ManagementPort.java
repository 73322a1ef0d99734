package dev.errand.http;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response.Status;
import java.util.List;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * Serves health and metrics on a port of their own, if {@code errand.management.port} is set: then
 * that port serves nothing else, and the API's port serves everything else. So a network policy can
 * admit Prometheus without admitting it to the API. Quarkus' management interface does the same,
 * but it is chosen when the service is built.
 */
@Singleton
class ManagementPort {

  private static final Pattern PATHS = Pattern.compile("/q/(health|metrics)(/.*)?");
  private static final int BEFORE_OTHER_FILTERS = 900;

  private final OptionalInt port;
  private final ObjectMapper mapper;

  ManagementPort(
      @ConfigProperty(name = "errand.management.port") OptionalInt port, ObjectMapper mapper) {
    this.port = port;
    this.mapper = mapper;
  }

  void register(@Observes Filters filters) {
    if (port.isPresent()) {
      filters.register(this::separate, BEFORE_OTHER_FILTERS);
    }
  }

  /** A port that is in use stops the start. */
  void listen(
      @Observes StartupEvent start,
      Vertx vertx,
      Router router,
      @ConfigProperty(name = "errand.host") String host) {
    port.ifPresent(own ->
        vertx
            .createHttpServer()
            .requestHandler(router)
            .listen(own, host)
            .toCompletionStage()
            .toCompletableFuture()
            .join());
  }

  private void separate(RoutingContext context) {
    var path = context.normalizedPath();
    var arrivedHere = context.request().localAddress().port() == port.getAsInt();
    if (arrivedHere == PATHS.matcher(path).matches()) {
      context.next();
    } else {
      refuse(context, path, arrivedHere ? "the API's port" : "port " + port.getAsInt());
    }
  }

  private void refuse(RoutingContext context, String path, String right) {
    var detail = "This is served on " + right + ".";
    context
        .response()
        .setStatusCode(Status.NOT_FOUND.getStatusCode())
        .putHeader(HttpHeaders.CONTENT_TYPE, Problem.MEDIA_TYPE)
        .end(mapper.valueToTree(Problem.of(Status.NOT_FOUND, detail, path, List.of())).toString());
  }
}
