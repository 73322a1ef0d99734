package dev.errand.kit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Posts JSON to the service for the steps that most tests have in common. A request of RestAssured
 * takes more processor time than the service needs to answer it.
 */
final class Poster implements AutoCloseable {

  private static final Duration TIMEOUT = Duration.ofSeconds(120);
  private static final int REPETITIONS = 20;
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  /**
   * @param body null for none
   * @param status the only one that is expected
   */
  JsonNode post(URI uri, @Nullable Map<String, ?> body, int status) {
    var request = HttpRequest.newBuilder(uri).timeout(TIMEOUT).POST(BodyPublishers.noBody());
    if (body != null) {
      request
          .header("Content-Type", "application/json")
          .POST(BodyPublishers.ofString(JSON.valueToTree(body).toString()));
    }
    var caller = WithAuthentication.caller();
    if (caller != null) {
      request.header("Authorization", "Bearer " + caller);
    }
    var answer = patiently(request.build());
    if (answer.statusCode() != status) {
      throw new AssertionError(
          "%s was answered with %d: %s".formatted(uri, answer.statusCode(), answer.body()));
    }
    return read(answer.body());
  }

  private HttpResponse<String> patiently(HttpRequest request) {
    var answer = send(request);
    for (int time = 0; time < REPETITIONS && isToBeRepeated(answer); time++) {
      answer = send(request);
    }
    return answer;
  }

  private static boolean isToBeRepeated(HttpResponse<String> answer) {
    return TaskKit.isToBeRepeated(answer.statusCode(), answer.body());
  }

  private HttpResponse<String> send(HttpRequest request) {
    try {
      return http.send(request, BodyHandlers.ofString());
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AssertionError("a request was interrupted", interrupted);
    }
  }

  private static JsonNode read(String answer) {
    try {
      return JSON.readTree(answer);
    } catch (JsonProcessingException fault) {
      throw new AssertionError(answer, fault);
    }
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
