package demo;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.stream.Stream;

/** The part of Errand's REST API that the demo needs. */
final class Api {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final int SERVER_FAULT = 500;
  private static final int CLIENT_FAULT = 400;

  private final HttpClient http = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
  private final String url;

  Api(int port) {
    this.url = "http://127.0.0.1:" + port;
  }

  String url() {
    return url;
  }

  ObjectMapper json() {
    return JSON;
  }

  /**
   * @throws Away the service does not answer, or not as a healthy service does
   * @throws DemoFailure the request was refused
   */
  JsonNode get(String path) throws Away, InterruptedException {
    return answer(request(path).GET().build());
  }

  /** Like {@link #get}. The demo never repeats it, because that could create something twice. */
  JsonNode post(String path, JsonNode body) throws Away, InterruptedException {
    return answer(
        request(path)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body.toString()))
            .build());
  }

  /**
   * The lines of a stream of events, from the one after {@code lastEventId}. Must be closed.
   *
   * @throws Away as {@link #get}; a connection that is cut later fails the stream
   */
  Stream<String> lines(String path, String lastEventId) throws Away, InterruptedException {
    var request = request(path).header("Last-Event-ID", lastEventId).GET().build();
    var response = send(request, BodyHandlers.ofLines());
    if (response.statusCode() >= CLIENT_FAULT) {
      throw new Away("refuses the stream of events (HTTP " + response.statusCode() + ")");
    }
    return response.body();
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(url + path)).timeout(TIMEOUT);
  }

  private JsonNode answer(HttpRequest request) throws Away, InterruptedException {
    var response = send(request, BodyHandlers.ofString());
    if (response.statusCode() >= SERVER_FAULT) {
      throw new Away("cannot serve now (HTTP " + response.statusCode() + ")");
    }
    var body = parse(response.body());
    if (response.statusCode() >= CLIENT_FAULT) {
      throw new DemoFailure(
          "%s %s was refused (%d): %s"
              .formatted(
                  request.method(),
                  request.uri().getPath(),
                  response.statusCode(),
                  Refusal.text(body)));
    }
    return body;
  }

  private <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler)
      throws Away, InterruptedException {
    try {
      return http.send(request, handler);
    } catch (HttpTimeoutException slow) {
      throw new Away("has not answered for " + TIMEOUT.toSeconds() + " s");
    } catch (IOException gone) {
      throw Away.gone();
    }
  }

  static JsonNode parse(String text) throws Away {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException notJson) {
      throw new Away("answers with something that is not JSON");
    }
  }

  /** The service does not answer, or answers that it cannot serve now. */
  static final class Away extends Exception {

    private static final long serialVersionUID = 1;

    Away(String reason) {
      super(reason);
    }

    static Away gone() {
      return new Away(
          "is gone (make run starts it again, with the DIR and PORT of this demo if it has them)");
    }
  }

  /** Formats a problem document: its detail, then the error of each field. */
  private static final class Refusal {

    private static String text(JsonNode problem) {
      var text = new StringBuilder(problem.path("detail").asText(problem.toString()));
      for (var error : problem.path("errors")) {
        text.append("\n  ").append(error.path("field").asText());
        text.append(": ").append(error.path("message").asText());
      }
      return text.toString();
    }
  }
}
