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

/** Errand's REST API, as far as the demo needs it. */
final class Api {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final int SERVER_FAULT = 500;
  private static final int CLIENT_FAULT = 400;

  private final HttpClient http = HttpClient.newBuilder().connectTimeout(PATIENCE).build();
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
   * @throws Away nobody answers, or not as a healthy service does
   * @throws DemoFailure the request was refused
   */
  JsonNode get(String path) throws Away, InterruptedException {
    return answer(request(path).GET().build());
  }

  /** Like {@link #get}; once only, for a repetition could do it twice. */
  JsonNode post(String path, JsonNode body) throws Away, InterruptedException {
    return answer(
        request(path)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body.toString()))
            .build());
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(url + path)).timeout(PATIENCE);
  }

  private JsonNode answer(HttpRequest request) throws Away, InterruptedException {
    var response = send(request);
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

  private HttpResponse<String> send(HttpRequest request) throws Away, InterruptedException {
    try {
      return http.send(request, BodyHandlers.ofString());
    } catch (HttpTimeoutException slow) {
      throw new Away("has not answered for " + PATIENCE.toSeconds() + " s");
    } catch (IOException gone) {
      throw new Away("is gone (make run starts it again)");
    }
  }

  private static JsonNode parse(String text) throws Away {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException notJson) {
      throw new Away("gives an answer that is not JSON");
    }
  }

  /** The service does not answer, or says that it cannot serve now. */
  static final class Away extends Exception {

    private static final long serialVersionUID = 1;

    Away(String reason) {
      super(reason);
    }
  }

  /** Reads a problem document: its detail, then what is wrong with each field. */
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
