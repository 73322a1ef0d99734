package dev.errand.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.secret.Secrets;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jspecify.annotations.Nullable;

/** Writes the answers as documents of JSON-RPC. */
@Singleton
class Documents {

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private final String version;

  Documents(@ConfigProperty(name = "quarkus.application.version") String version) {
    this.version = version;
  }

  ObjectNode serverInfo() {
    return JSON.objectNode().put("name", "errand").put("version", version);
  }

  /**
   * Returns the answer to a call. In revision 2026-07-28, each result says its type and who made
   * it.
   *
   * @param result with its {@code resultType} unless this is {@code complete}
   */
  ObjectNode result(McpCall call, ObjectNode result) {
    if (call.modern()) {
      if (!result.has("resultType")) {
        result.put("resultType", "complete");
      }
      result.withObjectProperty(Protocol.META).set(Protocol.SERVER_INFO, serverInfo());
    }
    var document = JSON.objectNode().put("jsonrpc", "2.0");
    document.set("id", call.id());
    return document.set("result", result);
  }

  /**
   * @param id of the request; null when it could not be read
   */
  ObjectNode fault(@Nullable JsonNode id, Fault fault) {
    var document = JSON.objectNode().put("jsonrpc", "2.0");
    if (id != null) {
      document.set("id", id);
    }
    var error =
        document
            .putObject("error")
            .put("code", fault.code())
            .put("message", Secrets.masked(String.valueOf(fault.getMessage())));
    if (fault.data() != null) {
      error.set("data", fault.data());
    }
    return document;
  }

  /** Returns a notification about the progress of a call. */
  static ObjectNode progress(JsonNode token, long step, String message) {
    var document = JSON.objectNode().put("jsonrpc", "2.0").put("method", "notifications/progress");
    var params = document.putObject("params");
    params.set("progressToken", token);
    params.put("progress", step).put("message", message);
    return document;
  }
}
