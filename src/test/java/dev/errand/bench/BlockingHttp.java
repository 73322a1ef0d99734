package dev.errand.bench;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/**
 * Sends requests on the calling thread, over one kept-alive connection. A client that hands
 * requests to threads of its own adds a millisecond to each latency.
 */
final class BlockingHttp {

  private BlockingHttp() {}

  /**
   * Posts JSON and waits for the whole answer.
   *
   * @throws IllegalStateException the answer is not 202
   */
  static String post(String uri, String body) throws IOException {
    var connection = (HttpURLConnection) URI.create(uri).toURL().openConnection();
    connection.setRequestProperty("Content-Type", "application/json");
    connection.setDoOutput(true);
    connection.getOutputStream().write(body.getBytes(StandardCharsets.UTF_8));
    if (connection.getResponseCode() != 202) {
      throw new IllegalStateException(uri + " answered " + connection.getResponseCode());
    }
    try (var answer = connection.getInputStream()) {
      return new String(answer.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
