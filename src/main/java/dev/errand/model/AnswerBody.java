package dev.errand.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.net.http.HttpHeaders;

/**
 * Checks an answer that is not streamed before langchain4j reads it, as {@link WholeStreamListener}
 * does for streams.
 */
final class AnswerBody {

  private static final JsonMapper JSON = new JsonMapper();

  private AnswerBody() {}

  /**
   * Returns the body unchanged.
   *
   * @throws ModelException the answer is an error, although its status is 200
   */
  static byte[] checked(Endpoint endpoint, HttpHeaders headers, byte[] body) {
    var json = parsed(body);
    Refusal.in(endpoint, headers, json)
        .ifPresent(fault -> {
          throw fault;
        });
    return body;
  }

  private static JsonNode parsed(byte[] body) {
    try {
      return JSON.readTree(body);
    } catch (IOException garbage) {
      // langchain4j reports it.
      return MissingNode.getInstance();
    }
  }
}
