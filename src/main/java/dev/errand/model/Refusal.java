package dev.errand.model;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.errand.egress.RetryAfter;
import dev.errand.model.ModelException.Code;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads error answers of providers. */
final class Refusal {

  private static final JsonMapper JSON = new JsonMapper();

  /**
   * How providers and local servers refuse a conversation that does not fit: OpenAI, Anthropic,
   * llama.cpp, Gemini, Bedrock, Mistral, and others that use their words.
   */
  private static final Pattern TOO_LONG =
      Pattern.compile(
          "context_length_exceeded|exceed_context_size|request_too_large|prompt is too long|input is too long"
              + "|maximum context length|context (?:length|window|size) (?:is |was )?exceeded"
              + "|exceeds? the (?:available |model'?s? )?(?:maximum )?context"
              + "|exceeds the maximum number of tokens|too large for model with \\d+ maximum context",
          Pattern.CASE_INSENSITIVE);

  /** The answer of a proxy, not of the provider. */
  static final int PROXY_LOGIN = 407;

  private static final String NO_LOGIN =
      "cannot be called: its proxy wants other credentials (407); check the user and the password in"
          + " HTTPS_PROXY or HTTP_PROXY.";

  private Refusal() {}

  /** Reads an answer with an HTTP status other than 2xx. */
  static ModelException read(Endpoint endpoint, int status, HttpHeaders headers, byte[] body) {
    var whole = new String(body, StandardCharsets.UTF_8);
    var text = endpoint.excerpt(text(whole));
    var sentence = endpoint.sentence(status == PROXY_LOGIN ? NO_LOGIN : answered(status, text));
    return new ModelException(
        isTooLong(status, whole) ? Code.MODEL_CONTEXT_EXCEEDED : code(status),
        sentence,
        RetryAfter.in(headers),
        new IllegalStateException(status + " " + text));
  }

  private static String answered(int status, String text) {
    return "answered %d%s".formatted(status, text.isEmpty() ? "." : ": " + text);
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
    if (failed && choice.hasNonNull("error")) {
      return Optional.of(read(endpoint, headers, choice.path("error")));
    }
    if (json.hasNonNull("error") && (failed || !isAnswer(json))) {
      return Optional.of(read(endpoint, headers, json.path("error")));
    }
    return failed
        ? Optional.of(endpoint.fault(Code.MODEL_UNAVAILABLE, "ended its answer with an error."))
        : Optional.empty();
  }

  /** In this order: OpenAI, Anthropic, Ollama. */
  private static boolean isAnswer(JsonNode json) {
    return json.at("/choices/0/message").isObject()
        || json.path("content").isArray()
        || json.path("message").isObject();
  }

  private static ModelException read(Endpoint endpoint, HttpHeaders headers, JsonNode error) {
    var text = endpoint.excerpt(message(error).orElseGet(error::toString));
    var status = error.path("code").asInt();
    return new ModelException(
        code(status, error),
        endpoint.sentence("answered with an error: " + text),
        RetryAfter.in(headers),
        new IllegalStateException(status + " " + text));
  }

  /** Gateways give the HTTP status of the provider as a code. */
  private static Code code(int status, JsonNode error) {
    var whole = error.toString();
    if (status >= 400 && status < 600) {
      return isTooLong(status, whole) ? Code.MODEL_CONTEXT_EXCEEDED : code(status);
    }
    return TOO_LONG.matcher(whole).find()
        ? Code.MODEL_CONTEXT_EXCEEDED
        : code(error.path("type").asText());
  }

  private static boolean isTooLong(int status, String body) {
    return status == 413
        || (status >= 400 && status < 500 && status != 429 && TOO_LONG.matcher(body).find());
  }

  private static Code code(int status) {
    return switch (status) {
      case 401, 403, PROXY_LOGIN -> Code.MODEL_UNAUTHORIZED;
      case 404 -> Code.MODEL_NOT_FOUND;
      case 408 -> Code.MODEL_TIMEOUT;
      case 429 -> Code.MODEL_RATE_LIMITED;
      default -> status >= 500 ? Code.MODEL_UNAVAILABLE : Code.MODEL_REJECTED_REQUEST;
    };
  }

  private static Code code(String type) {
    return switch (type) {
      case "rate_limit_error", "rate_limit_exceeded" -> Code.MODEL_RATE_LIMITED;
      case "invalid_request_error", "billing_error" -> Code.MODEL_REJECTED_REQUEST;
      case "not_found_error" -> Code.MODEL_NOT_FOUND;
      case "authentication_error", "permission_error" -> Code.MODEL_UNAUTHORIZED;
      default -> Code.MODEL_UNAVAILABLE;
    };
  }

  private static String text(String body) {
    var json = parse(body);
    return message(json.path("error")).or(() -> message(json)).orElse(body);
  }

  private static Optional<String> message(JsonNode error) {
    var message = error.isTextual() ? error : error.path("message");
    return Optional.of(message.asText()).filter(text -> !text.isBlank());
  }

  private static JsonNode parse(String body) {
    try {
      return JSON.readTree(body);
    } catch (JsonProcessingException plainText) {
      return MissingNode.getInstance();
    }
  }
}
