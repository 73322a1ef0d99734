package dev.errand.mcp;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.mcp.Incoming.Request;
import jakarta.ws.rs.core.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Checks requests in the order that the protocol gives. A request of revision 2026-07-28 says its
 * version in {@code _meta} and in a header, which must agree; a request without either is of
 * 2025-03-26, which had no such header.
 */
final class Checks {

  private static final Pattern ENCODED = Pattern.compile("=\\?base64\\?(.*)\\?=");

  private Checks() {}

  /**
   * Checks a request.
   *
   * @throws Fault it is refused
   */
  static McpCall check(Request request, HttpHeaders headers) {
    var given = request.params();
    var params =
        given instanceof ObjectNode object ? object : JsonNodeFactory.instance.objectNode();
    if (!isLegacy(params, headers.getHeaderString(Protocol.VERSION_HEADER))) {
      return modern(request, params, headers);
    }
    if (!given.isObject() && !given.isMissingNode()) {
      throw Fault.invalidParams("params: must be an object");
    }
    return legacy(request, params, headers);
  }

  private static boolean isLegacy(ObjectNode params, @Nullable String version) {
    return !McpCall.meta(params).has(Protocol.VERSION)
        && (version == null || Protocol.LEGACY.contains(version));
  }

  private static McpCall legacy(Request request, ObjectNode params, HttpHeaders headers) {
    if (!Protocol.LEGACY_METHODS.contains(request.method())) {
      throw Fault.unknownMethod(request.method(), false);
    }
    return new McpCall(request.id(), request.method(), params, false, false, headers);
  }

  private static McpCall modern(Request request, ObjectNode params, HttpHeaders headers) {
    var meta = McpCall.meta(params);
    var version = meta.path(Protocol.VERSION).textValue();
    var capabilities = meta.path(Protocol.CAPABILITIES);
    if (version == null || !capabilities.isObject()) {
      throw Fault.badRequest(
          Fault.INVALID_PARAMS,
          "params._meta must have %s (a text) and %s (an object)"
              .formatted(Protocol.VERSION, Protocol.CAPABILITIES));
    }
    var sent = headers.getHeaderString(Protocol.VERSION_HEADER);
    requireSame(Protocol.VERSION_HEADER, sent, version);
    var method = headers.getHeaderString(Protocol.METHOD_HEADER);
    requireSame(Protocol.METHOD_HEADER, method, request.method());
    checkName(request.method(), params, headers.getHeaderString(Protocol.NAME_HEADER));
    requireServed(version);
    if (!Protocol.MODERN_METHODS.contains(request.method())) {
      throw Fault.unknownMethod(request.method(), true);
    }
    var tasks = capabilities.path("extensions").path(Protocol.TASKS).isObject();
    if (Protocol.OF_TASKS.contains(request.method()) && !tasks) {
      throw missingTasks();
    }
    return new McpCall(request.id(), request.method(), params, true, tasks, headers);
  }

  private static void checkName(String method, ObjectNode params, @Nullable String sent) {
    var source =
        method.equals(Protocol.CALL_TOOL)
            ? "name"
            : Protocol.OF_TASKS.contains(method) ? "taskId" : null;
    if (source != null) {
      var name = params.path(source).textValue();
      if (name != null || sent != null) {
        requireSame(Protocol.NAME_HEADER, sent == null ? null : decoded(sent), name);
      }
    }
  }

  /** Decodes a value; returns null when it cannot be decoded. */
  private static @Nullable String decoded(String name) {
    var encoded = ENCODED.matcher(name);
    if (!encoded.matches()) {
      return name;
    }
    try {
      return new String(Base64.getDecoder().decode(encoded.group(1)), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException notBase64) {
      return null;
    }
  }

  private static void requireSame(String header, @Nullable String sent, @Nullable String inBody) {
    if (!Objects.equals(sent, inBody)) {
      throw Fault.badRequest(
          Fault.HEADER_MISMATCH,
          sent == null
              ? "Header mismatch: %s is missing or cannot be decoded".formatted(header)
              : "Header mismatch: %s is '%s', but the body has '%s'"
                  .formatted(header, sent, inBody));
    }
  }

  private static void requireServed(String version) {
    if (!version.equals(Protocol.MODERN)) {
      var data = JsonNodeFactory.instance.objectNode();
      Protocol.VERSIONS.forEach(data.putArray("supported")::add);
      data.put("requested", version);
      throw Fault.badRequest(Fault.UNSUPPORTED_VERSION, "Unsupported protocol version", data);
    }
  }

  private static Fault missingTasks() {
    var data = JsonNodeFactory.instance.objectNode();
    data.putObject("requiredCapabilities").putObject("extensions").putObject(Protocol.TASKS);
    return Fault.badRequest(Fault.MISSING_CAPABILITY, "Missing required client capability", data);
  }
}
