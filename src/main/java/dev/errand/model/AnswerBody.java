package dev.errand.model;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
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
   * Returns the body in the form that langchain4j reads, usually unchanged.
   *
   * @throws ModelException the answer is an error, although its status is 200
   */
  static byte[] checked(Endpoint endpoint, HttpHeaders headers, byte[] body) {
    var json = parsed(body);
    Refusal.in(endpoint, headers, json)
        .ifPresent(fault -> {
          throw fault;
        });
    return addTypes(json.at("/choices/0/message/tool_calls"))
        ? json.toString().getBytes(UTF_8)
        : body;
  }

  /** langchain4j drops calls without a type; some endpoints with OpenAI's API send none. */
  private static boolean addTypes(JsonNode calls) {
    var added = false;
    for (var call : calls) {
      if (call instanceof ObjectNode untyped
          && untyped.path("function").isObject()
          && !untyped.hasNonNull("type")) {
        untyped.put("type", "function");
        added = true;
      }
    }
    return added;
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
