package dev.errand.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Arrays;
import java.util.UUID;

/** Sends requests to one port of this machine and reuses its connections. */
final class Caller {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final int REPETITIONS = 20;

  /** How the HTTP client reports that a connection ended where an answer should begin. */
  private static final String NO_ANSWER = "header parser received no bytes";

  private final HttpClient http;
  private final int port;
  private final Duration limit;

  Caller(int port, HttpClient.Version version, Duration limit) {
    this.http = HttpClient.newBuilder().version(version).connectTimeout(limit).build();
    this.port = port;
    this.limit = limit;
  }

  URI uri(String path) {
    return URI.create("http://127.0.0.1:" + port + path);
  }

  JsonNode get(String path) throws IOException {
    return json(path, request("GET", path, BodyPublishers.noBody()), 200);
  }

  /** Returns the status of a GET request and ignores the body. */
  int status(String path) throws IOException {
    return request("GET", path, BodyPublishers.noBody()).statusCode();
  }

  /** Sends a DELETE request, which is answered with 204. */
  void delete(String path) throws IOException {
    var status = request("DELETE", path, BodyPublishers.noBody()).statusCode();
    if (status != 204) {
      throw new IOException("DELETE " + path + ": " + status);
    }
  }

  JsonNode post(String path, Object body, int expected, String... headers) throws IOException {
    return json(path, postAny(path, body, headers), expected);
  }

  /**
   * Like {@link #post}; repeated with the same idempotency key, as clients do, while the database
   * is away.
   */
  JsonNode postPatiently(String path, Object body, int expected) throws IOException {
    var key = UUID.randomUUID().toString();
    var answer = postAny(path, body, "Idempotency-Key", key);
    for (int time = 0; time < REPETITIONS && answer.statusCode() == 503; time++) {
      answer = postAny(path, body, "Idempotency-Key", key);
    }
    return json(path, answer, expected);
  }

  /**
   * Like {@link #postAny}, with an idempotency key. If the server ends a connection that was in use
   * before without a byte of an answer, the request is sent once more with the same key. This is
   * all that clients of HTTP/1.1 have to do while nodes are restarted; the HTTP client does the
   * same with GET requests by itself.
   *
   * @param onRepetition called before the second attempt
   */
  HttpResponse<String> postKeyed(String path, Object body, Runnable onRepetition, String... headers)
      throws IOException {
    var keyed = Arrays.copyOf(headers, headers.length + 2);
    keyed[headers.length] = "Idempotency-Key";
    keyed[headers.length + 1] = UUID.randomUUID().toString();
    try {
      return postAny(path, body, keyed);
    } catch (IOException exception) {
      if (!String.valueOf(exception.getMessage()).contains(NO_ANSWER)) {
        throw exception;
      }
      onRepetition.run();
      return postAny(path, body, keyed);
    }
  }

  HttpResponse<String> postAny(String path, Object body, String... headers) throws IOException {
    return request("POST", path, BodyPublishers.ofString(JSON.writeValueAsString(body)), headers);
  }

  /** Returns the body of a response with status 200 or 202. */
  static JsonNode accepted(String path, HttpResponse<String> response) throws IOException {
    return json(path, response, response.statusCode() == 202 ? 202 : 200);
  }

  /** Returns the body of a response with the expected status. */
  static JsonNode json(String path, HttpResponse<String> response, int expected)
      throws IOException {
    if (response.statusCode() != expected) {
      throw new IOException(path + ": " + response.statusCode() + " " + response.body());
    }
    return JSON.readTree(response.body());
  }

  private HttpResponse<String> request(
      String method, String path, BodyPublisher body, String... headers) throws IOException {
    var builder = HttpRequest.newBuilder(uri(path)).timeout(limit);
    if (headers.length > 0) {
      builder.headers(headers);
    }
    builder.header("Content-Type", "application/json").method(method, body);
    try {
      return http.send(builder.build(), HttpResponse.BodyHandlers.ofString());
    } catch (InterruptedException exception) {
      Thread.currentThread().interrupt();
      throw new IOException(exception);
    }
  }
}
