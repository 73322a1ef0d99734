package dev.errand.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.ws.rs.core.HttpHeaders;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A request that has passed the checks.
 *
 * @param params an empty object when there are none
 * @param modern whether it is of revision 2026-07-28
 * @param tasks whether the client has declared the tasks extension with this request
 */
record McpCall(
    JsonNode id,
    String method,
    ObjectNode params,
    boolean modern,
    boolean tasks,
    HttpHeaders headers) {

  static ObjectNode meta(ObjectNode params) {
    return params.get(Protocol.META) instanceof ObjectNode meta
        ? meta
        : JsonNodeFactory.instance.objectNode();
  }

  @Nullable String header(String name) {
    return headers.getHeaderString(name);
  }

  /** Returns the token of the client's progress notifications; null when it wants none. */
  @Nullable JsonNode progressToken() {
    var token = meta(params).path("progressToken");
    return token.isTextual() || token.isIntegralNumber() ? token : null;
  }

  /** Returns the trace that the call belongs to, as a W3C {@code traceparent}. */
  @Nullable String traceParent() {
    return meta(params).path("traceparent").textValue();
  }

  /** Returns a parameter that is a text. */
  Optional<String> text(String name) {
    return Optional.ofNullable(params.path(name).textValue());
  }
}
