package dev.errand.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * Serves the OpenAPI document: YAML, or JSON with {@code ?format=json} or {@code Accept:
 * application/json}. It is a file that is written by hand, so that nothing is generated at the
 * start; tests compare it with the code and with the answers of the service.
 */
@Singleton
class OpenApiFile {

  private static final String PATH = "/q/openapi";
  private static final String FILE = "/openapi.yaml";

  private final ObjectMapper mapper;
  private byte @Nullable [] json;

  OpenApiFile(ObjectMapper mapper) {
    this.mapper = mapper;
  }

  void register(@Observes Router router) {
    router.route(PATH).method(HttpMethod.GET).method(HttpMethod.HEAD).blockingHandler(this::serve);
  }

  private void serve(RoutingContext context) {
    var inJson = wantsJson(context);
    context
        .response()
        .putHeader(
            HttpHeaders.CONTENT_TYPE,
            (inJson ? MediaType.APPLICATION_JSON : "application/yaml") + ";charset=UTF-8")
        .putHeader(HttpHeaders.VARY, HttpHeaders.ACCEPT)
        .end(Buffer.buffer(inJson ? json() : yaml()));
  }

  private static boolean wantsJson(RoutingContext context) {
    var format = context.request().getParam("format");
    if (format != null) {
      return format.equalsIgnoreCase("json");
    }
    var accepted = context.request().getHeader(HttpHeaders.ACCEPT);
    return accepted != null && accepted.contains(MediaType.APPLICATION_JSON);
  }

  private synchronized byte[] json() {
    if (json == null) {
      var document =
          new Load(LoadSettings.builder().build()).loadFromString(new String(yaml(), UTF_8));
      json = mapper.valueToTree(document).toString().getBytes(UTF_8);
    }
    return json;
  }

  private static byte[] yaml() {
    try (var file = Objects.requireNonNull(OpenApiFile.class.getResourceAsStream(FILE))) {
      return file.readAllBytes();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
