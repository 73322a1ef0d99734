package dev.errand.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A message of a client. */
sealed interface Incoming {

  String method();

  /** Expects no answer. */
  record Notification(String method) implements Incoming {}

  /**
   * Expects an answer.
   *
   * @param id a text or an integer
   * @param params of any type; missing when there are none
   */
  record Request(JsonNode id, String method, JsonNode params) implements Incoming {}

  /**
   * Reads a message.
   *
   * @throws Fault it is no request and no notification of JSON-RPC
   */
  static Incoming read(ObjectMapper json, byte @Nullable [] body) {
    var message = parse(json, body == null ? new byte[0] : body);
    if (message.isArray()) {
      throw Fault.noRequest("Batches are not supported: send one message", null);
    }
    var id = message.get("id");
    var known = isId(id) ? id : null;
    if (!message.isObject() || !message.path("jsonrpc").asText().equals("2.0")) {
      throw Fault.noRequest("Not a message of JSON-RPC 2.0", known);
    }
    if (!message.path("method").isTextual()) {
      throw Fault.noRequest("method must be a text", known);
    }
    var method = message.get("method").asText();
    if (id == null) {
      return new Notification(method);
    }
    if (known == null) {
      throw Fault.noRequest("id must be a text or an integer", null);
    }
    return new Request(known, method, message.path("params"));
  }

  private static boolean isId(@Nullable JsonNode id) {
    return id != null && (id.isTextual() || id.isIntegralNumber());
  }

  private static JsonNode parse(ObjectMapper json, byte[] body) {
    try {
      var read = json.readTree(body);
      if (read == null || read.isMissingNode()) {
        throw Fault.badRequest(Fault.NOT_JSON, "The body is empty");
      }
      return read;
    } catch (IOException fault) {
      throw Fault.badRequest(Fault.NOT_JSON, "The body is not valid JSON");
    }
  }
}
