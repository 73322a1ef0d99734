package dev.errand.kit;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A request to the service under test. */
public final class HttpCall {

  private static final Duration TIMEOUT = Duration.ofSeconds(120);
  private static final String AUTHORIZATION = "Authorization";

  private final Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
  private final StringJoiner query = new StringJoiner("&");
  private @Nullable Object body;

  HttpCall() {}

  public HttpCall header(String name, Object value) {
    headers.put(name, value.toString());
    return this;
  }

  public HttpCall headers(Map<String, ?> more) {
    more.forEach(this::header);
    return this;
  }

  public HttpCall contentType(String type) {
    return header("Content-Type", type);
  }

  public HttpCall accept(String type) {
    return header("Accept", type);
  }

  public HttpCall queryParam(String name, Object value) {
    query.add(encoded(name) + "=" + encoded(value));
    return this;
  }

  public HttpCall queryParams(Map<String, ?> parameters) {
    parameters.forEach(this::queryParam);
    return this;
  }

  /** A string is sent as it is, anything else as JSON. */
  public HttpCall body(Object content) {
    body = content;
    return this;
  }

  public HttpAnswer get(String path, Object... parameters) {
    return send("GET", path, parameters);
  }

  public HttpAnswer post(String path, Object... parameters) {
    return send("POST", path, parameters);
  }

  public HttpAnswer put(String path, Object... parameters) {
    return send("PUT", path, parameters);
  }

  public HttpAnswer delete(String path, Object... parameters) {
    return send("DELETE", path, parameters);
  }

  public HttpAnswer options(String path, Object... parameters) {
    return send("OPTIONS", path, parameters);
  }

  /**
   * Sends the request.
   *
   * @param path with {@code {name}} for each of the parameters
   */
  public HttpAnswer send(String method, String path, Object... parameters) {
    var request =
        HttpRequest.newBuilder(uri(path, parameters)).timeout(TIMEOUT).method(method, content());
    headers.forEach(request::header);
    var caller = Http.caller();
    if (caller != null && !headers.containsKey(AUTHORIZATION)) {
      request.header(AUTHORIZATION, "Bearer " + caller);
    }
    try {
      return new HttpAnswer(Http.CLIENT.send(request.build(), BodyHandlers.ofByteArray()));
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AssertionError("a request was interrupted", interrupted);
    }
  }

  private URI uri(String path, Object... parameters) {
    var filled = path;
    for (var parameter : Arrays.stream(parameters).map(HttpCall::encoded).toList()) {
      filled = filled.replaceFirst("\\{[^}]*}", parameter);
    }
    if (query.length() > 0) {
      filled += (filled.contains("?") ? "&" : "?") + query;
    }
    return Http.uri(filled);
  }

  private static String encoded(Object value) {
    return URLEncoder.encode(value.toString(), StandardCharsets.UTF_8).replace("+", "%20");
  }

  private BodyPublisher content() {
    return switch (body) {
      case null -> BodyPublishers.noBody();
      case String text -> BodyPublishers.ofString(text);
      default -> BodyPublishers.ofString(json(body));
    };
  }

  private static String json(Object body) {
    try {
      return Http.JSON.writeValueAsString(body);
    } catch (JsonProcessingException fault) {
      throw new UncheckedIOException(fault);
    }
  }
}
