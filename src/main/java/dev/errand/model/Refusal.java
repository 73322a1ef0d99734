package dev.errand.model;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.model.ModelException.Code;
import java.net.http.HttpHeaders;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads error answers of providers. */
final class Refusal {

  private static final String NO_LOGIN =
      "cannot be called: its proxy wants other credentials (407); check the user and the password in"
          + " HTTPS_PROXY or HTTP_PROXY.";

  private Refusal() {}

  /** Reads an answer with an HTTP status other than 2xx. */
  static ModelException read(Endpoint endpoint, int status, HttpHeaders headers, byte[] body) {
    var said = RefusalBody.of(body);
    var text = endpoint.excerpt(said.sentence());
    var did =
        status == RefusalKind.PROXY_LOGIN
            ? NO_LOGIN
            : "answered %d%s".formatted(status, text.isEmpty() ? "." : ": " + text);
    return fault(endpoint.sentence(did), status, headers, said);
  }

  /**
   * Reads the error in an answer with status 200 or in an event of a stream; empty if there is
   * none.
   *
   * @param json {@code {"error": {"type": "overloaded_error", "code": 529, "message": "…"}}}, where
   *     the error may be a string, or an answer with the finish reason {@code error}
   */
  static Optional<ModelException> in(Endpoint endpoint, HttpHeaders headers, JsonNode json) {
    var choice = json.at("/choices/0");
    var failed = choice.path("finish_reason").asText().equals("error");
    var found =
        failed && says(choice.path("error"))
            ? choice.path("error")
            : failed || !isAnswer(json) ? error(json) : null;
    if (found != null) {
      return Optional.of(read(endpoint, headers, found));
    }
    return failed
        ? Optional.of(endpoint.fault(Code.MODEL_UNAVAILABLE, "ended its answer with an error."))
        : Optional.empty();
  }

  /** Tells whether this is an answer of, in this order, OpenAI, Anthropic or Ollama. */
  private static boolean isAnswer(JsonNode json) {
    return json.at("/choices/0/message").isObject()
        || json.path("content").isArray()
        || json.path("message").isObject();
  }

  /**
   * Finds the error in the form of, in this order: most providers; FastChat and older servers with
   * its code; MiniMax; Cloudflare. Null when there is no error.
   */
  private static @Nullable JsonNode error(JsonNode json) {
    if (says(json.path("error"))) {
      return json.path("error");
    }
    var isError =
        json.path("object").asText().equals("error")
            || json.at("/base_resp/status_code").asInt() != 0
            || (json.path("errors").isArray() && !json.path("errors").isEmpty());
    return isError ? json : null;
  }

  /** Some answers have an empty error, which means that there is none. */
  private static boolean says(JsonNode error) {
    return (error.isContainerNode() && !error.isEmpty())
        || (error.isTextual() && !error.asText().isBlank())
        || error.asBoolean();
  }

  private static ModelException read(Endpoint endpoint, HttpHeaders headers, JsonNode error) {
    var said = RefusalBody.of(error);
    var text = endpoint.excerpt(said.sentence());
    return fault(
        endpoint.sentence("answered with an error: " + text), status(error), headers, said);
  }

  private static ModelException fault(
      String sentence, int status, HttpHeaders headers, RefusalBody said) {
    var time = RetryTime.in(headers, said);
    return new ModelException(RefusalKind.of(status, said, time.isPresent()), sentence, time);
  }

  /** Returns the status of an error in an answer with status 200: gateways give it as a code. */
  private static int status(JsonNode error) {
    return Stream.of("code", "status", "status_code", "http_code")
        .mapToInt(name -> error.path(name).asInt())
        .filter(number -> number >= 400 && number < 600)
        .findFirst()
        .orElseGet(() -> ofType(error.path("type").asText()));
  }

  private static int ofType(String type) {
    return switch (type) {
      case "invalid_request_error", "BadRequestError", "exceed_context_size_error" -> 400;
      case "authentication_error" -> 401;
      case "billing_error" -> 402;
      case "permission_error" -> 403;
      case "not_found_error", "NotFoundError" -> 404;
      case "request_too_large" -> 413;
      case "rate_limit_error", "rate_limit_exceeded" -> 429;
      default -> 0;
    };
  }
}
