package dev.errand.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** A fault of the protocol: the request is answered with an error of JSON-RPC. */
final class Fault extends RuntimeException {

  static final int NOT_JSON = -32700;
  static final int NO_REQUEST = -32600;
  static final int UNKNOWN_METHOD = -32601;
  static final int INVALID_PARAMS = -32602;
  static final int HEADER_MISMATCH = -32020;
  static final int MISSING_CAPABILITY = -32021;
  static final int UNSUPPORTED_VERSION = -32022;

  private static final long serialVersionUID = 1;
  private static final int OK = 200;
  private static final int BAD_REQUEST = 400;
  private static final int NOT_FOUND = 404;

  private final int status;
  private final int code;
  private final transient @Nullable ObjectNode data;
  private final transient @Nullable JsonNode id;

  private Fault(
      int status, int code, String message, @Nullable ObjectNode data, @Nullable JsonNode id) {
    super(message);
    this.status = status;
    this.code = code;
    this.data = data;
    this.id = id;
  }

  static Fault badRequest(int code, String message) {
    return new Fault(BAD_REQUEST, code, message, null, null);
  }

  static Fault badRequest(int code, String message, ObjectNode data) {
    return new Fault(BAD_REQUEST, code, message, data, null);
  }

  /**
   * Returns the fault of a message that is no request.
   *
   * @param id of the message; null when it has none
   */
  static Fault noRequest(String message, @Nullable JsonNode id) {
    return new Fault(BAD_REQUEST, NO_REQUEST, message, null, id);
  }

  static Fault invalidParams(String message) {
    return new Fault(OK, INVALID_PARAMS, message, null, null);
  }

  static Fault unknownMethod(String method, boolean modern) {
    return new Fault(
        modern ? NOT_FOUND : OK, UNKNOWN_METHOD, "Method not found: " + method, null, null);
  }

  int status() {
    return status;
  }

  int code() {
    return code;
  }

  @Nullable ObjectNode data() {
    return data;
  }

  @Nullable JsonNode id() {
    return id;
  }
}
